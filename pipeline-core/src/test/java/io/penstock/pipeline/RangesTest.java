package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.HitCheck;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import io.penstock.stream.Execution;
import io.penstock.stream.ReadAhead;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every number that a stream is set up with: both ends of its range work, and what lies beyond is refused by name. */
class RangesTest {

    private static final int MAX_IN_FLIGHT = 1 << 20;

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    private static void assertRange(LongFunction<?> setter, String what, long min, long max) {
        assertThatCode(() -> setter.apply(min)).doesNotThrowAnyException();
        assertThatCode(() -> setter.apply(max)).doesNotThrowAnyException();
        for (long beyond : new long[] {min - 1, max + 1}) {
            assertRefused(
                    () -> setter.apply(beyond), "%s must be in [%d, %d], was %d".formatted(what, min, max, beyond));
        }
    }

    @Test
    void execution_numbersOutOfRange_areRefused() {
        Execution execution = Execution.standard();

        assertRange(n -> execution.inFlight((int) n), "in-flight", 1, MAX_IN_FLIGHT);
        assertRange(n -> execution.workers(execution.workers(), (int) n), "parallelism", 1, 32_767);
        assertRefused(() -> Execution.newWorkers(0), "workers must be in [1, 32767], was 0");
        assertRefused(() -> Execution.newWorkers(32_768), "workers must be in [1, 32767], was 32768");
        assertRefused(() -> execution.inFlight(Integer.MAX_VALUE), "in-flight must be in [1, 1048576], was 2147483647");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, MAX_IN_FLIGHT})
    void inFlight_atEitherEnd_deliversEverySampleInOrder(int inFlight) {
        List<Integer> delivered = FakeDataset.jittery(100).stream(
                        Sampler.sequential(), Execution.standard().inFlight(inFlight))
                .map(sample -> (int) sample.value().longAt(0))
                .collectList()
                .block();

        assertThat(delivered).isEqualTo(IntStream.range(0, 100).boxed().toList());
    }

    @Test
    void draws_sizeOutOfRange_isRefused() {
        assertRange(size -> Sampler.sequential().draws(size), "size", 0, 1L << 62);
        assertRefused(
                () -> Sampler.shuffled(1).draws(Long.MAX_VALUE),
                "size must be in [0, 4611686018427387904], was 9223372036854775807");
    }

    @ParameterizedTest
    @ValueSource(strings = {"global", "stable", "reshard=9223372036854775806:2147483647"})
    void draws_everyNumberAtItsLargest_countWithoutOverflow(String mode) {
        long size = 1L << 62;
        for (Sampler order :
                List.of(Sampler.shuffled(1), Sampler.windowed(1, Long.MAX_VALUE), Sampler.windowed(1, 1))) {
            Sampler sampler = order.epochs(Long.MAX_VALUE)
                    .limit(Long.MAX_VALUE)
                    .mode(ShardMode.parse(mode))
                    .shard(Shard.of(Integer.MAX_VALUE - 1, Integer.MAX_VALUE));

            Draws draws = sampler.draws(size);

            assertThat(draws.count()).isPositive();
            for (long number : new long[] {0, draws.count(0) - 1, draws.count() - 1}) {
                Draw draw = draws.at(number);
                assertThat(draw.index()).isBetween(Draw.PADDING, size - 1);
                assertThat(draw.next()).isGreaterThan(Position.START);
            }
        }
    }

    @Test
    void sampler_numbersOutOfRange_areRefused() {
        assertThat(Sampler.sequential().epochs(0).draws(5).count()).isZero();
        assertThat(Sampler.sequential().limit(0).draws(5).count()).isZero();
        assertRefused(() -> Sampler.sequential().epochs(-1), "epochs must not be negative: -1");
        assertRefused(() -> Sampler.sequential().limit(-1), "limit must not be negative: -1");
        assertRefused(() -> Sampler.windowed(1, 0), "window must be at least 1, was 0");
        assertRange(n -> Sampler.windowed(1, 1, (int) n), "interleaved windows", 1, 1 << 20);
        assertRefused(() -> ShardMode.reshardEvery(0), "reshard must be every 1 epoch or more, was 0");
        assertRefused(() -> ShardMode.stable().partitions(0), "partitions must be at least 1, was 0");
        assertRefused(() -> Shard.of(0, 0), "world size must be at least 1, was 0");
        assertRefused(() -> Shard.of(8, 8), "rank must be in [0, 8), was 8");
        assertRefused(() -> Shard.of(-1, 8), "rank must be in [0, 8), was -1");
    }

    @Test
    void errorPolicy_numbersOutOfRange_areRefused() {
        ErrorPolicy policy = ErrorPolicy.skip();

        assertThatCode(() -> policy.retry(Integer.MAX_VALUE, Duration.ofDays(1)).budget(Long.MAX_VALUE))
                .doesNotThrowAnyException();
        assertThat(policy.budgetShare(1).allowed(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(policy.budgetShare(0).allowed(Long.MAX_VALUE)).isZero();
        assertRefused(
                () -> policy.retry(1, Duration.ofSeconds(Long.MAX_VALUE)),
                "back-off must be a day at most, was PT2562047788015215H30M7S");
        assertRefused(() -> policy.retry(-1, Duration.ZERO), "retries and back-off must not be negative: -1, PT0S");
        assertRefused(() -> policy.budget(-1), "error budget must not be negative: -1");
        assertRefused(() -> policy.budgetShare(1.1), "error budget must be a share in [0, 1], was 1.1");
    }

    @Test
    void prefetch_atEitherEnd_deliversEverySample() {
        for (long bytes : new long[] {1, Long.MAX_VALUE}) {
            Long delivered = FakeDataset.jittery(50).stream(
                            Sampler.shuffled(1),
                            Execution.standard(),
                            new ReadAhead<>(bytes, value -> Long.MAX_VALUE / 100))
                    .count()
                    .block();

            assertThat(delivered).isEqualTo(50);
        }
        assertRefused(() -> new ReadAhead<>(0, value -> 1), "read-ahead must be at least 1 byte, was 0");
    }

    @Test
    void hitCheck_shareOutOfRange_isRefused() {
        assertThatCode(() -> HitCheck.ofShare(1)).doesNotThrowAnyException();
        assertThatCode(() -> HitCheck.ofShare(Double.MIN_VALUE)).doesNotThrowAnyException();
        assertRefused(() -> HitCheck.ofShare(0), "the share of hits to check must be in (0, 1], was 0.0");
        assertRefused(() -> HitCheck.ofShare(1.1), "the share of hits to check must be in (0, 1], was 1.1");
    }
}
