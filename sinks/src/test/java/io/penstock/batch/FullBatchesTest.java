package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Exhausted;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.internal.Mixing;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Mixture;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Short batches are dropped: every batch is full and every rank has as many, behind a filter and from a mixture. */
class FullBatchesTest {

    private static final int BATCH = 8;
    private static final int EPOCHS = 3;
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Batches<Tensor> BATCHES =
            Batches.of(BATCH, Schema.tensor("value")).remainder(Remainder.DROP);

    /** What is left of a batch after it was closed. */
    private record Seen(List<Long> values, long epoch, boolean endsEpoch, Position next) {
        static Seen of(Batch batch) {
            try (batch) {
                var values = batch.tensor("value").data().order(ByteOrder.LITTLE_ENDIAN);
                return new Seen(
                        IntStream.range(0, batch.size())
                                .mapToObj(row -> values.getLong(row * Long.BYTES))
                                .toList(),
                        batch.epoch(),
                        batch.endsEpoch(),
                        batch.next());
            }
        }
    }

    /** Samples whose values are numbered on from a number. */
    private static Dataset<Tensor> numbers(int size, long from) {
        return new MadeDataset<>("numbers from " + from, size, index -> Mono.just(Tensor.scalar(from + index)));
    }

    @ParameterizedTest
    @CsvSource({"7, 1, 1", "7, 1, 9223372036854775807", "20, 4, 1", "3, 1, 1"})
    void moreThanTheData_isAnErrorAndNoEmptySuccess(int size, int world, long epochs) {
        for (int rank = 0; rank < world; rank++) {
            Sampler sampler = Sampler.shuffled(3).epochs(epochs).shard(Shard.of(rank, world));
            assertThatThrownBy(() -> run(numbers(size, 0), sampler))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no batch: " + size / world + " draws came")
                    .hasMessageContaining("take a smaller batch, or keep or pad the remainder");
        }
    }

    @Test
    void restOfAnEpochThatIsResumed_mayHaveNoBatch() {
        assertThat(run(numbers(20, 0), Sampler.shuffled(3).resumeAt(new Position(0, 15))))
                .isEmpty();
        assertThat(run(numbers(20, 0), Sampler.shuffled(3).epochs(2).resumeAt(new Position(0, 15))))
                .hasSize(2);
    }

    @Test
    void moreThanAStream_isAnError() {
        var few = numbers(100, 0).stream(Sampler.sequential()).take(5);

        assertThatThrownBy(() -> few.transform(BATCHES).blockLast(SOON)).hasMessageContaining("no batch: 5 draws came");
    }

    private static List<Seen> run(Pipeline<Tensor> pipeline, Sampler sampler) {
        return pipeline.stream(sampler)
                .transform(BATCHES)
                .map(Seen::of)
                .collectList()
                .blockOptional(SOON)
                .orElseThrow();
    }

    private static List<Long> values(List<Seen> batches) {
        return batches.stream().flatMap(batch -> batch.values.stream()).toList();
    }

    /** The batches of every rank, which must be full, as many on each, and end each epoch once. */
    private static List<List<Seen>> ranks(Pipeline<Tensor> pipeline, Sampler sampler, int ranks, long drawsAnEpoch) {
        List<List<Seen>> all = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            List<Seen> batches = run(pipeline, sampler.shard(Shard.of(rank, ranks)));
            long anEpoch = drawsAnEpoch / ranks / BATCH;
            assertThat(batches).hasSize((int) (EPOCHS * anEpoch));
            assertThat(batches).allSatisfy(batch -> assertThat(batch.values).hasSize(BATCH));
            assertThat(batches.stream().filter(Seen::endsEpoch).map(Seen::epoch))
                    .containsExactly(0L, 1L, 2L);
            all.add(batches);
        }
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1", "2, 1", "3, 1", "4, 1", "5, 1", "6, 1", "7, 1", // each sample by itself
        "1, 10", "2, 10", "3, 10", "4, 10", "5, 10", "6, 10", "7, 10" // in runs
    })
    void filter_dropsThirtyPercent_leavesFullBatchesAndEqualRanks(int ranks, int runLength) {
        Dataset<Tensor> taken = numbers(2_100, 0)
                .filter("70 percent", value -> Long.remainderUnsigned(Mixing.mix(value.longAt(0) / runLength), 10) < 7)
                .blockOptional(SOON)
                .orElseThrow();
        Sampler sampler = Sampler.shuffled(3).remainder(Remainder.DROP).epochs(EPOCHS);

        List<List<Seen>> all = ranks(taken, sampler, ranks, taken.size());

        assertThat(taken.size()).isBetween(1_300L, 1_640L);
        for (long epoch = 0; epoch < EPOCHS; epoch++) {
            long number = epoch;
            assertThat(all.stream().flatMap(List::stream).filter(batch -> batch.epoch == number))
                    .flatMap(Seen::values)
                    .doesNotHaveDuplicates();
        }
    }

    private static Mixture<Tensor> mixture(Exhausted end) {
        return Mixture.of(numbers(211, 0), 0.7).and(numbers(97, 1_000), 0.3).until(end);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void mixture_shortBatchesDropped_endsEachEpochOnEveryRank(int ranks) {
        for (Exhausted end : Exhausted.values()) {
            Mixture<Tensor> mixture = mixture(end);
            Sampler sampler = mixture.sampler(
                    Sampler.shuffled(3).remainder(Remainder.DROP).epochs(EPOCHS));
            long draws = sampler.samples(mixture.dataset().size());

            List<List<Seen>> all = ranks(mixture.dataset(), sampler, ranks, draws);

            List<Long> values = values(all.stream().flatMap(List::stream).toList());
            long second = values.stream().filter(value -> value >= 1_000).count();
            assertThat((double) second / values.size()).isBetween(0.25, 0.35);
        }
    }

    @Test
    void mixture_ofUnlikeTypes_isRefusedByItsFirstBatch() {
        Dataset<Tensor> halves = numbers(97, 0).map("halves", value -> Tensor.scalar(value.longAt(0) / 2.0f));
        Mixture<Tensor> mixture = Mixture.of(numbers(211, 0), 0.7).and(halves, 0.3);

        assertThatThrownBy(() -> run(mixture.dataset(), mixture.sampler(Sampler.sequential())))
                .hasMessage("cannot batch field \"value\": sample 0 is i64[], sample 211 is f32[]; map to one dtype"
                        + " before batching");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void mixture_shortBatchesDroppedAndResumedAtAnyBatch_goesOnExactly(int ranks) {
        Mixture<Tensor> mixture = mixture(Exhausted.FIRST);
        Sampler sampler =
                mixture.sampler(Sampler.shuffled(3).remainder(Remainder.DROP).epochs(EPOCHS));
        ResumeToken begun = ResumeToken.of(mixture.dataset(), sampler);
        List<List<Seen>> whole = ranks(mixture.dataset(), sampler, ranks, sampler.samples(308));

        for (int stop = 0; stop < whole.get(0).size(); stop++) {
            Position next = whole.get(0).get(stop).next;
            Sampler resumed = ResumeToken.parse(begun.at(next).toString()).resume(sampler, mixture.dataset());
            for (int rank = 0; rank < ranks; rank++) {
                List<Seen> batches = whole.get(rank);
                assertThat(batches.get(stop).next).isEqualTo(next);
                assertThat(run(mixture.dataset(), resumed.shard(Shard.of(rank, ranks))))
                        .isEqualTo(batches.subList(stop + 1, batches.size()));
            }
        }
    }
}
