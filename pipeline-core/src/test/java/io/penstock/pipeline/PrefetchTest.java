package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** While some windows are delivered, the dataset is told of those that come next. */
class PrefetchTest {

    private static final int SIZE = 24;
    private static final int WINDOW = 3;
    private static final int OPEN = 2;
    private static final int TOGETHER = WINDOW * OPEN;
    private static final Sampler IN_WINDOWS = Sampler.windowed(5, WINDOW, OPEN);
    private static final Execution HERE = new Execution(1, Schedulers.immediate(), 1, 0);

    /** Notes what it is told, and answers as it should. */
    private static final class Noting implements Dataset<Tensor> {
        private final List<List<Long>> told = new ArrayList<>();
        private Supplier<Mono<Void>> answer = Mono::empty;

        @Override
        public long size() {
            return SIZE;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("noting");
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.just(Tensor.scalar(index));
        }

        @Override
        public Mono<Void> prefetch(long[] indices) {
            List<Long> list = new ArrayList<>();
            for (long index : indices) {
                list.add(index);
            }
            told.add(list);
            return answer.get();
        }
    }

    /** Neighbours, two by two. */
    private record Pairs() implements Grouping {

        @Override
        public long size() {
            return SIZE / 2;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("pairs");
        }

        @Override
        public long[] members(long group) {
            return new long[] {2 * group, 2 * group + 1};
        }
    }

    private final Noting dataset = new Noting();

    /** The windows of the draws from a number on, in the order of their samples. */
    private static List<Long> windowsFrom(Draws draws, long number) {
        TreeSet<Long> bounds = new TreeSet<>();
        for (int i = 0; i < TOGETHER; i++) {
            long window = draws.at(number + i).index() / WINDOW;
            bounds.add(window * WINDOW);
            bounds.add(window * WINDOW + WINDOW - 1);
        }
        return List.copyOf(bounds);
    }

    private List<List<Long>> toldInOrder() {
        return dataset.told.stream()
                .map(list -> list.stream().sorted().toList())
                .toList();
    }

    @Test
    void stream_inWindows_tellsOfTheNextOnesOnce() {
        Draws draws = IN_WINDOWS.epochs(2).draws(SIZE);

        dataset.stream(IN_WINDOWS.epochs(2), HERE).limitRate(1).blockLast();

        List<List<Long>> expected = new ArrayList<>();
        for (int number = TOGETHER; number < 2 * SIZE; number += TOGETHER) {
            expected.add(windowsFrom(draws, number));
        }
        assertThat(toldInOrder()).isEqualTo(expected);
    }

    @Test
    void stream_resumed_tellsOfWhatFollowsTheOpenWindows() {
        Sampler resumed = IN_WINDOWS.resumeAt(IN_WINDOWS.draws(SIZE).position(TOGETHER + 2));

        dataset.stream(resumed, HERE).limitRate(1).blockLast();

        Draws draws = IN_WINDOWS.draws(SIZE);
        assertThat(toldInOrder()).containsExactly(windowsFrom(draws, 2 * TOGETHER), windowsFrom(draws, 3 * TOGETHER));
    }

    @Test
    void stream_beforeItsFirstSample_tellsNothing() {
        StepVerifier.create(dataset.stream(IN_WINDOWS, HERE), 0)
                .expectSubscription()
                .then(() -> assertThat(dataset.told).isEmpty())
                .thenRequest(1)
                .expectNextCount(1)
                .then(() -> assertThat(dataset.told).hasSize(1))
                .thenRequest(TOGETHER - 1)
                .expectNextCount(TOGETHER - 1)
                .then(() -> assertThat(dataset.told).hasSize(1))
                .thenCancel()
                .verify();
    }

    @Test
    void stream_inAnotherOrder_tellsNothing() {
        dataset.stream(Sampler.shuffled(1), HERE).limitRate(1).blockLast();
        dataset.stream(Sampler.sequential(), HERE).limitRate(1).blockLast();

        assertThat(dataset.told).isEmpty();
    }

    @Test
    void stream_cancelled_cancelsWhatIsLoadedAhead() {
        AtomicInteger cancelled = new AtomicInteger();
        dataset.answer = () -> Mono.<Void>never().doOnCancel(cancelled::incrementAndGet);

        StepVerifier.create(dataset.stream(IN_WINDOWS, HERE), 1)
                .expectNextCount(1)
                .then(() -> assertThat(cancelled).hasValue(0))
                .thenCancel()
                .verify();

        assertThat(cancelled).hasValue(1);
    }

    @Test
    void stream_thatIsAhead_dropsWhatIsNoLongerNext() {
        AtomicInteger cancelled = new AtomicInteger();
        dataset.answer = () -> Mono.<Void>never().doOnCancel(cancelled::incrementAndGet);

        StepVerifier.create(dataset.stream(IN_WINDOWS, HERE).limitRate(1))
                .expectNextCount(SIZE)
                .verifyComplete();

        assertThat(dataset.told).hasSize(3);
        assertThat(cancelled).hasValue(3);
    }

    static List<Supplier<Mono<Void>>> failures() {
        return List.of(
                () -> Mono.error(new IllegalStateException("lost")),
                () -> Mono.error(new InternalError("lost")),
                () -> {
                    throw new OutOfMemoryError("too large");
                });
    }

    @ParameterizedTest
    @MethodSource("failures")
    void stream_whereLoadingAheadFails_goesOn(Supplier<Mono<Void>> failure) {
        dataset.answer = failure;

        StepVerifier.create(dataset.stream(IN_WINDOWS, HERE).limitRate(1))
                .expectNextCount(SIZE)
                .verifyComplete();

        assertThat(dataset.told).hasSize(3);
    }

    @Test
    void stages_tellTheirInputs() {
        Pipeline<Tensor> stages = dataset.map("same", value -> value)
                .zip("both", FakeDataset.immediate(SIZE), (one, other) -> one)
                .augment("same", (value, random) -> value);

        stages.stream(IN_WINDOWS, HERE).limitRate(1).blockLast();

        assertThat(dataset.told).hasSize(3);
    }

    @Test
    void selections_tellTheSamplesTheyChose() {
        dataset.slice(10, 20).prefetch(new long[] {0, 9}).block();
        dataset.select(7, 3, 5).prefetch(new long[] {0, 1}).block();

        assertThat(dataset.told).containsExactly(List.of(10L, 19L), List.of(7L, 3L));
    }

    @Test
    void concatenations_tellEachPartItsOwn() {
        Dataset.concat(FakeDataset.immediate(10), dataset)
                .prefetch(new long[] {8, 9, 10, 12})
                .block();

        assertThat(dataset.told).containsExactly(List.of(0L, 2L));
    }

    @Test
    void groups_tellTheirMembers() {
        dataset.group(new Pairs()).prefetch(new long[] {1, 5}).block();

        assertThat(dataset.told).containsExactly(List.of(2L, 3L, 10L, 11L));
    }

    @Test
    void caches_tellTheirInputWhileTheyFill() {
        Dataset<Tensor> cached = dataset.cache(new FakeTier("ram"), Schema.tensor("value"));

        cached.stream(IN_WINDOWS, HERE).limitRate(1).blockLast();
        int cold = dataset.told.size();
        cached.stream(IN_WINDOWS.seed(6), HERE).limitRate(1).blockLast();

        assertThat(cold).isEqualTo(3);
        assertThat(cached.statistics(0).loads()).isEqualTo(SIZE);
        assertThat(dataset.told).hasSize(cold + 1); // the samples of the last windows were loaded since it was asked
    }
}
