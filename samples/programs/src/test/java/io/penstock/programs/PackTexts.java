package io.penstock.programs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.cache.Tier;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pack.PackPlan;
import io.penstock.pack.PackedRow;
import io.penstock.pack.Packing;
import io.penstock.pack.TooLong;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.token.BpeTokenizer;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;

/**
 * Trains on questions and answers, one JSON object a line: tokens are made once and cached, then packed into rows. The
 * loss counts the tokens of answers alone.
 */
final class PackTexts {

    /** A question and its answer as tokens, and which of them the loss counts. */
    record Dialogue(Tensor tokens, Tensor counted) {}

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Schema<Dialogue> DIALOGUE = Schema.of(Dialogue.class);

    private final Dataset<PackedRow> rows;
    private final PackPlan plan;

    private PackTexts(Dataset<PackedRow> rows, PackPlan plan) {
        this.rows = rows;
        this.plan = plan;
    }

    /** Tokenizes the lines into a cache, and plans rows of {@code size} tokens. */
    static PackTexts open(Dataset<String> lines, Tier cache, int size) {
        BpeTokenizer question = BpeTokenizer.of("cl100k_base");
        BpeTokenizer answer = question.endOfText();
        Dataset<Dialogue> dialogues = lines.map(
                        "question and answer by " + answer.name(), line -> dialogue(line, question, answer))
                .cache(cache, DIALOGUE);
        int[] lengths = Objects.requireNonNull(dialogues
                .counts("length", dialogue -> Packing.length(dialogue.tokens()), Indexing.inMemory())
                .block());
        Packing<Dialogue> packing = Packing.of(size, Dialogue::tokens)
                .lossMask(Dialogue::counted)
                .tooLong(TooLong.SPLIT)
                .seed(42);
        PackPlan plan = packing.plan(lengths);
        return new PackTexts(packing.over(dialogues, plan), plan);
    }

    private static Dialogue dialogue(String line, BpeTokenizer question, BpeTokenizer answer) {
        try {
            JsonNode json = JSON.readTree(line);
            Tensor asked = question.apply(json.path("question").asText() + "\n");
            Tensor answered = answer.apply(json.path("answer").asText());
            int before = Packing.length(asked);
            int[] tokens = new int[before + Packing.length(answered)];
            Arrays.setAll(tokens, i -> (int) (i < before ? asked.longAt(i) : answered.longAt(i - before)));
            int[] counted = new int[tokens.length];
            Arrays.fill(counted, before, counted.length, 1);
            return new Dialogue(Tensor.ofInts(tokens), Tensor.ofInts(counted));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the line is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    PackPlan plan() {
        return plan;
    }

    Dataset<PackedRow> rows() {
        return rows;
    }

    /** Batches of 8 rows from a position on; each is closed after its step. */
    Flux<Position> train(Sampler sampler, Consumer<Batch> step) {
        return rows.stream(sampler)
                .transform(Batches.of(8, Schema.of(PackedRow.class)).remainder(Remainder.DROP))
                .map(batch -> {
                    try (batch) {
                        step.accept(batch);
                        return batch.next();
                    }
                });
    }
}
