package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Cache;
import io.penstock.cache.SampleKey;
import io.penstock.fault.SampleException;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** A cache by the key of each element of a flux. */
class SamplesCachedTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Schema<Tensor> SCHEMA = Schema.tensor("v");

    private final FakeTier ram = new FakeTier("ram");
    private final AtomicInteger loads = new AtomicInteger();

    private Function<Flux<Sample<Integer>>, Flux<Sample<Tensor>>> cached(
            Function<Integer, ? extends Mono<Tensor>> loader) {
        return Samples.cached(
                Cache.of(ram), value -> SampleKey.of("ten times", String.valueOf(value)), SCHEMA, value -> {
                    loads.incrementAndGet();
                    return loader.apply(value);
                });
    }

    private static Mono<Tensor> tenTimes(int value) {
        return Mono.just(Tensor.scalar(value * 10L));
    }

    private static Mono<Tensor> tenTimesLater(int value) {
        return Mono.delay(Duration.ofMillis(value % 3)).then(tenTimes(value));
    }

    private static List<Long> values(Flux<Sample<Tensor>> samples) {
        return samples.map(sample -> sample.value().longAt(0)).collectList().block();
    }

    private static Flux<Sample<Integer>> numbers(Integer... values) {
        return Flux.just(values).transform(Samples.numbered(42));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hits_skipTheLoader(boolean late) {
        ram.late = late;
        Flux<Sample<Tensor>> flux = numbers(1, 2, 3).transform(cached(SamplesCachedTest::tenTimes));

        assertThat(values(flux)).containsExactly(10L, 20L, 30L);
        assertThat(values(flux)).containsExactly(10L, 20L, 30L);

        assertThat(loads).hasValue(3);
        assertThat(Samples.statistics(flux).loads()).isEqualTo(3);
        assertThat(Samples.statistics(flux).misses()).isEqualTo(3);
        assertThat(Samples.statistics(flux).hits()).containsEntry("ram", 3L);
    }

    @Test
    void loads_thatComeOutOfOrder_areDeliveredInOrder() {
        Flux<Sample<Tensor>> flux =
                Flux.range(0, 500).transform(Samples.numbered(1)).transform(cached(SamplesCachedTest::tenTimesLater));

        assertThat(values(flux)).hasSize(500).isSorted();
        assertThat(loads).hasValue(500);
    }

    @Test
    void elementsOfOneKey_shareItsLoad() {
        Flux<Sample<Tensor>> flux = Flux.range(0, 300)
                .map(value -> value % 3)
                .transform(Samples.numbered(1))
                .transform(cached(value -> Mono.delay(Duration.ofMillis(20)).then(tenTimes(value))));

        assertThat(values(flux)).hasSize(300).startsWith(0L, 10L, 20L, 0L);
        assertThat(loads).hasValue(3);
        assertThat(Samples.statistics(flux).misses()).isEqualTo(3);
        assertThat(Samples.statistics(flux).hits()).isEqualTo(Map.of("ram", 297L));
    }

    @Test
    void loads_underWay_areNoMoreThanInFlight() {
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger max = new AtomicInteger();

        List<Long> values = values(Flux.range(0, 200)
                .transform(Samples.numbered(1))
                .transform(Samples.on(Execution.standard().inFlight(8)))
                .transform(cached(value -> Mono.defer(() -> {
                            max.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                            return tenTimesLater(value);
                        })
                        .doOnTerminate(underWay::decrementAndGet))));

        assertThat(values).hasSize(200);
        assertThat(max.get()).isBetween(2, 8);
    }

    @Test
    void stagesAround_runOnTheWorkers() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Flux<Sample<Tensor>> flux = numbers(1, 2, 3)
                .transform(Samples.map("next", value -> value + 1))
                .transform(cached(value -> tenTimes(value).subscribeOn(Schedulers.boundedElastic())))
                .transform(Samples.map("seen", value -> {
                    threads.add(Thread.currentThread().getName());
                    return value;
                }));

        assertThat(values(flux)).containsExactly(20L, 30L, 40L);
        assertThat(threads).allMatch(name -> name.startsWith("penstock-worker"));
    }

    @Test
    void brokenTier_isAMiss() {
        ram.broken = true;

        assertThat(values(numbers(1, 2).transform(cached(SamplesCachedTest::tenTimes))))
                .containsExactly(10L, 20L);
    }

    @Test
    void emptyLoad_isASampleWithoutAValue() {
        Flux<Sample<Tensor>> flux =
                numbers(1, 2, 3).transform(cached(value -> value == 2 ? Mono.empty() : tenTimes(value)));

        assertThat(flux.map(Sample::isPresent).collectList().block()).containsExactly(true, false, true);
        assertThat(ram.held).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failedLoad_namesStageAndNumber(boolean thrown) {
        LinkageError broken = new LinkageError("broken");
        Flux<Sample<Tensor>> flux = numbers(1, 2, 3).transform(cached(value -> {
            if (value == 2 && thrown) {
                throw broken;
            }
            return value == 2 ? Mono.error(broken) : tenTimes(value);
        }));

        StepVerifier.create(flux, 0)
                .expectSubscription()
                .thenRequest(3)
                .expectNextCount(1)
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOfSatisfying(SampleException.class, failure -> {
                            assertThat(failure.stage()).isEqualTo("load");
                            assertThat(failure.index()).isEqualTo(1);
                        })
                        .hasCause(broken))
                .verify();
    }

    @Test
    void failedKey_isSkippedLikeAFailedLoad() {
        Flux<Sample<Tensor>> flux = numbers(1, 0, 3)
                .transform(Samples.<Integer, Tensor>cached(
                        Cache.of(ram), value -> SampleKey.of("by " + 6 / value), SCHEMA, SamplesCachedTest::tenTimes))
                .transform(Samples.onError(ErrorPolicy.skip()));

        assertThat(flux.map(Sample::isPresent).collectList().block()).containsExactly(true, false, true);
    }

    @Test
    void cancel_cancelsTheLoads() {
        AtomicInteger cancelled = new AtomicInteger();
        Flux<Sample<Tensor>> flux = numbers(1, 2, 3)
                .transform(cached(value -> Mono.<Tensor>never().doOnCancel(cancelled::incrementAndGet)));

        StepVerifier.create(flux, 1)
                .then(() -> await(() -> loads.get() > 0))
                .thenCancel()
                .verify();

        // a worker may be about to subscribe to a load, and cancels that as well
        await(() -> cancelled.get() == loads.get());
    }

    private static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + SOON.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long").isLessThan(until);
            Thread.onSpinWait();
        }
    }
}
