package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.batch.Batch;
import io.penstock.bench.suite.OpenBins;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pack.PackPlan;
import io.penstock.pack.PackedRow;
import io.penstock.pack.Packing;
import io.penstock.pack.TooLong;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.Tensor;
import io.penstock.text.TextLines;
import io.penstock.token.BpeTokenizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link PackTexts} with real texts, where they are. */
class PackTextsTest {

    private static final int ROW = 2_048;

    private static Path data(String name) {
        Path path = Path.of(System.getProperty("penstock.data", "none")).resolve(name);
        assumeTrue(Files.exists(path), () -> "there are no texts at " + path + "; set penstock.data");
        return path;
    }

    @Tag("repeated")
    @Test
    void dialogues_packedAndTrained_areTokenizedOnceAndResumeExactly() {
        Path file = data("jsonl/gsm8k/train.jsonl");
        AtomicInteger tokenized = new AtomicInteger();
        try (Tier cache = RamTier.ofBytes(64 << 20);
                TextLines lines = TextLines.openJson(file)) {
            PackTexts packed = PackTexts.open(
                    lines.map("count", line -> {
                        tokenized.incrementAndGet();
                        return line;
                    }),
                    cache,
                    ROW);
            Sampler sampler = Sampler.shuffled(7).epochs(2);

            List<String> whole = train(packed, sampler, Long.MAX_VALUE, new Position[1]);

            assertThat(packed.plan().fill()).isGreaterThanOrEqualTo(0.98);
            assertThat(whole).hasSize(2 * (int) (packed.plan().size() / 8));
            assertThat(tokenized).hasValue((int) lines.size());
            Random random = new Random(3);
            for (int stop = 0; stop < (Boolean.getBoolean("penstock.endurance") ? 5 : 2); stop++) {
                Position[] next = new Position[1];
                List<String> both = train(packed, sampler, 1 + random.nextInt(whole.size() - 1), next);
                both.addAll(train(packed, sampler.resumeAt(next[0]), Long.MAX_VALUE, next));
                assertThat(both).isEqualTo(whole);
            }
            assertThat(tokenized).as("tokens come from the cache").hasValue((int) lines.size());
        }
    }

    /** A digest of each batch. */
    private static List<String> train(PackTexts packed, Sampler sampler, long batches, Position[] next) {
        List<String> digests = new ArrayList<>();
        packed.train(sampler, batch -> digests.add(digest(batch)))
                .take(batches)
                .doOnNext(position -> next[0] = position)
                .blockLast();
        return digests;
    }

    private static String digest(Batch batch) {
        Tensor mask = batch.tensor("lossMask");
        long counted = IntStream.range(0, (int) mask.shape().elements())
                .mapToLong(mask::longAt)
                .sum();
        assertThat(counted)
                .as("answers are a part of all tokens")
                .isBetween(1L, mask.shape().elements() / 4 * 3);
        return batch.tensor("tokens").hashCode() + " "
                + batch.tensor("positions").hashCode() + " " + counted;
    }

    private static int[] lengths(Dataset<Tensor> tokens) {
        return Objects.requireNonNull(
                tokens.counts("length", Packing::length, Indexing.inMemory()).block());
    }

    @Tag("endurance")
    @Test
    void rows_ofRealTexts_areFullerThanThoseOfGrainsBestFit() throws IOException {
        BpeTokenizer tokenizer = BpeTokenizer.of("cl100k_base");
        Map<String, Dataset<String>> sets = Map.of(
                "dialogues", TextLines.openJson(data("jsonl/gsm8k/train.jsonl")),
                "lines of a play", nonEmpty(text(data("text/tinyshakespeare")), "\n"),
                "documents",
                        MemoryDataset.of(
                                "texts",
                                files(data("text")).map(PackTextsTest::read).toList()),
                "paragraphs", nonEmpty(text(data("text")), "\n\n"));

        sets.forEach((name, texts) -> {
            int[] lengths = lengths(texts.map(tokenizer.name(), tokenizer));
            PackPlan plan = Packing.of(ROW).tooLong(TooLong.SPLIT).plan(lengths);

            assertThat(plan.fill()).as(name).isGreaterThanOrEqualTo(0.98);
            for (int bins : new int[] {1, 8, 64, 512, 4_096}) {
                assertThat(plan.size())
                        .as("%s, %d bins", name, bins)
                        .isLessThanOrEqualTo(OpenBins.rows(pieces(lengths), ROW, bins));
            }
        });
    }

    private static List<Integer> pieces(int[] lengths) {
        List<Integer> pieces = new ArrayList<>();
        for (int length : lengths) {
            for (int left = length; left > 0; left -= ROW) {
                pieces.add(Math.min(left, ROW));
            }
        }
        Collections.shuffle(pieces, new Random(42));
        return pieces;
    }

    @Tag("repeated")
    @Test
    void rows_ofRanks_areThoseOfOneRank() throws IOException {
        Dataset<Tensor> tokens = MemoryDataset.of(
                        "texts",
                        files(data("text/state_union")).map(PackTextsTest::read).toList())
                .map("cl100k_base", BpeTokenizer.of("cl100k_base"));
        int[] lengths = lengths(tokens);
        Dataset<PackedRow> rows = Packing.of(ROW).tooLong(TooLong.SPLIT).over(tokens, lengths);
        List<PackedRow> whole = read(rows, Shard.WHOLE);

        for (int world : Boolean.getBoolean("penstock.endurance") ? new int[] {2, 5} : new int[] {2}) {
            List<List<PackedRow>> ranks = IntStream.range(0, world)
                    .mapToObj(rank -> read(rows, Shard.of(rank, world)))
                    .toList();
            List<PackedRow> woven = IntStream.range(0, whole.size())
                    .mapToObj(i -> ranks.get(i % world).get(i / world))
                    .toList();
            assertThat(woven).isEqualTo(whole);
        }
    }

    private static List<PackedRow> read(Dataset<PackedRow> rows, Shard shard) {
        return Objects.requireNonNull(rows.stream(Sampler.shuffled(1).shard(shard))
                .filter(sample -> sample.isPresent())
                .map(sample -> sample.value())
                .collectList()
                .block());
    }

    private static Dataset<String> nonEmpty(String text, String separator) {
        return MemoryDataset.of(
                "parts",
                Arrays.stream(text.split(separator))
                        .filter(part -> !part.isBlank())
                        .toList());
    }

    private static String text(Path folder) throws IOException {
        return String.join("\n\n", files(folder).map(PackTextsTest::read).toList());
    }

    private static Stream<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList().stream();
        }
    }

    /** Some files are not UTF-8. */
    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
