package io.penstock.programs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pack.PackedRow;
import io.penstock.pack.Packing;
import io.penstock.pack.TooLong;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.pipeline.Mixture;
import io.penstock.resume.ResumeToken;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.text.TextLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ObjDoubleConsumer;

/**
 * Trains a bigram model of bytes on a text and on questions with answers, drawn by weights. Of the second the loss
 * counts the answers alone. Goes on where it was killed, also with other weights.
 */
public final class MixTexts {

    static final int ROW = 256;
    private static final int BATCH = 8;
    private static final int SAVED_EVERY = 4 * BATCH;
    private static final float RATE = 0.2f;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Schema<Bytes> BYTES = Schema.of(Bytes.class);

    private final Dataset<PackedRow> rows;
    private final Sampler order;
    private final Softmax model = new Softmax(256, 256);

    /** A text's bytes, and which of them the loss counts. */
    record Bytes(Tensor tokens, Tensor counted) {

        static Bytes of(String question, String answer) {
            byte[] tokens = (question + answer).getBytes(StandardCharsets.UTF_8);
            byte[] counted = new byte[tokens.length];
            Arrays.fill(counted, question.getBytes(StandardCharsets.UTF_8).length, counted.length, (byte) 1);
            return new Bytes(Tensor.ofBytes(tokens, tokens.length), Tensor.ofBytes(counted, counted.length));
        }
    }

    MixTexts(Dataset<String> text, Dataset<String> questions, double weight, Cache cache) {
        Dataset<PackedRow> prose = packed(text.map("bytes", line -> Bytes.of("", line + "\n")), cache);
        Dataset<PackedRow> answers = packed(questions.map("answers", MixTexts::answer), cache);
        Mixture<PackedRow> mixture = Mixture.of(prose, weight).and(answers, 1 - weight);
        this.rows = mixture.dataset();
        this.order = mixture.sampler(Sampler.shuffled(42));
    }

    private static Bytes answer(String line) {
        try {
            JsonNode json = JSON.readTree(line);
            return Bytes.of(
                    json.path("question").asText() + "\n", json.path("answer").asText() + "\n");
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the line is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static Dataset<PackedRow> packed(Dataset<Bytes> texts, Cache cache) {
        Dataset<Bytes> cached = texts.cache(cache, BYTES);
        int[] lengths = Objects.requireNonNull(
                cached.counts("length", bytes -> Packing.length(bytes.tokens()), Indexing.inMemory())
                        .block());
        return Packing.of(ROW, Bytes::tokens)
                .lossMask(Bytes::counted)
                .tooLong(TooLong.SPLIT)
                .over(cached, lengths);
    }

    /** Trains for an epoch, or for the rest of it behind the checkpoint; tells each batch and its mean loss. */
    void train(Path checkpoint, ObjDoubleConsumer<Batch> step) throws IOException {
        Sampler sampler = model.resume(checkpoint, order, rows);
        ResumeToken plan = ResumeToken.of(rows, sampler);
        rows.stream(sampler)
                .transform(Batches.of(BATCH, Schema.of(PackedRow.class)).remainder(Remainder.DROP))
                .doOnNext(batch -> {
                    try (batch) {
                        step.accept(batch, learn(batch));
                        if (batch.next().offset() % SAVED_EVERY == 0) {
                            model.save(checkpoint, plan.at(batch.next()));
                        }
                    }
                })
                .blockLast();
    }

    /** Each counted byte is learned from the one before it, if both are of one text. */
    private double learn(Batch batch) {
        Tensor tokens = batch.tensor("tokens");
        Tensor segments = batch.tensor("segments");
        Tensor counted = batch.tensor("lossMask");
        double loss = 0;
        int learned = 0;
        for (int i = 0; i < batch.size() * ROW; i++) {
            if (counted.longAt(i) > 0 && i % ROW > 0 && segments.longAt(i) == segments.longAt(i - 1)) {
                loss += model.loss((int) tokens.longAt(i - 1), (int) tokens.longAt(i), RATE);
                learned++;
            }
        }
        return loss / learned;
    }

    /** Arguments: a working folder; then a text and JSON lines, unless it makes some, and the weight of the text. */
    public static void main(String[] arguments) throws IOException {
        Path work = Path.of(arguments[0]);
        List<Path> files =
                arguments.length < 3 ? MadeData.texts(work) : List.of(Path.of(arguments[1]), Path.of(arguments[2]));
        double weight = arguments.length < 4 ? 0.4 : Double.parseDouble(arguments[3]);
        try (Cache cache = Cache.of(RamTier.ofBytes(64 << 20));
                TextLines text = TextLines.open(files.get(0));
                TextLines questions = TextLines.openJson(files.get(1))) {
            new MixTexts(text, questions, weight, cache)
                    .train(
                            work.resolve("checkpoint"),
                            (batch, loss) -> System.out.println(MixPictures.step(batch, "tokens", loss)));
        }
    }
}
