package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.SampleException;
import io.penstock.fault.StoreException;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class ErrorPolicyTest {

    private static final Set<Long> BAD = Set.of(3L, 4L, 17L);

    /** Fails for the bad samples, in a stage or at the source, at once or on another thread. */
    private static Pipeline<Tensor> failing(boolean later) {
        FakeDataset source = later ? FakeDataset.blocking(20) : FakeDataset.immediate(20);
        return source.map("decode", value -> {
            if (BAD.contains(value.longAt(0))) {
                throw new FormatException("not a JPEG");
            }
            return value;
        });
    }

    private static List<Sample<Tensor>> samples(Pipeline<Tensor> pipeline, Sampler sampler) {
        return pipeline.stream(sampler, Execution.standard().inFlight(32))
                .collectList()
                .block();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fail_firstBadSample_endsTheStreamNamingIt(boolean later) {
        StepVerifier.create(failing(later).onError(ErrorPolicy.fail()).stream(Sampler.sequential()))
                .expectNextCount(3)
                .expectErrorMessage("stage \"decode\" failed on sample 3: #3: not a JPEG")
                .verify();
    }

    @Test
    void fail_checkedException_isTheCauseItself() {
        Dataset<Tensor> source = FakeDataset.answering(1, index -> Mono.error(new IOException("unplugged")));

        StepVerifier.create(source.stream(Sampler.sequential()), 0)
                .thenRequest(1)
                .expectErrorSatisfies(e -> assertThat(e)
                        .hasMessage("stage \"load\" failed on sample 0: #0: IOException: unplugged")
                        .hasCauseExactlyInstanceOf(IOException.class))
                .verify();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void skip_badSamples_takeTheirPlaceWithoutAValue(boolean later) {
        List<SampleException> quarantined = new CopyOnWriteArrayList<>();
        Pipeline<Tensor> pipeline = failing(later).onError(ErrorPolicy.skip().quarantine(quarantined::add));

        List<Sample<Tensor>> delivered = samples(pipeline, Sampler.sequential().epochs(2));

        assertThat(delivered).hasSize(40);
        assertThat(delivered.stream()
                        .filter(sample -> !sample.isPresent())
                        .map(sample -> sample.draw().index()))
                .containsExactly(3L, 4L, 17L, 3L, 4L, 17L);
        assertThat(quarantined).extracting(SampleException::index).containsExactlyInAnyOrder(3L, 4L, 17L);
        assertThat(quarantined).extracting(SampleException::stage).containsOnly("decode");
        assertThat(pipeline.statistics(1).skipped()).isEqualTo(3);
        assertThatThrownBy(() -> delivered.get(3).value()).hasMessage("sample 3 was skipped; filter with isPresent");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void substitute_badSamples_areReplacedTheSameWayOnEveryRun(boolean later) {
        Pipeline<Tensor> pipeline = failing(later).onError(ErrorPolicy.substitute());

        List<Sample<Tensor>> once = samples(pipeline, Sampler.shuffled(5));
        List<Sample<Tensor>> again = samples(failing(!later).onError(ErrorPolicy.substitute()), Sampler.shuffled(5));

        assertThat(once).allMatch(Sample::isPresent);
        assertThat(once)
                .extracting(Sample::value)
                .isEqualTo(again.stream().map(Sample::value).toList());
        assertThat(once).extracting(sample -> sample.value().longAt(0)).doesNotContainAnyElementsOf(BAD);
    }

    @Test
    void budget_oneFailureMore_endsTheStream() {
        StepVerifier.create(failing(false).onError(ErrorPolicy.skip().budget(2)).stream(Sampler.sequential()))
                .expectNextCount(17)
                .expectErrorMessage("error budget of 2 samples is used up: "
                        + "stage \"decode\" failed on sample 17: #17: not a JPEG")
                .verify();
    }

    @Test
    void budget_sameSamplesEveryEpoch_countOnce() {
        assertThat(samples(
                        failing(true).onError(ErrorPolicy.skip().budget(3)),
                        Sampler.shuffled(1).epochs(10)))
                .hasSize(200);
        assertThat(samples(failing(true).onError(ErrorPolicy.skip().budgetShare(0.15)), Sampler.shuffled(1)))
                .hasSize(20);
        StepVerifier.create(failing(true).onError(ErrorPolicy.skip().budgetShare(0.14)).stream(Sampler.shuffled(1)))
                .thenConsumeWhile(sample -> true)
                .expectErrorSatisfies(e -> assertThat(e).hasMessageStartingWith("error budget of 2 samples is used up"))
                .verify();
    }

    @Test
    void budget_sampleThatFailsInTwoEpochsAtOnce_countsOnce() {
        for (int round = 0; round < 1_000; round++) {
            CyclicBarrier both = new CyclicBarrier(2);
            FakeDataset broken = FakeDataset.answering(
                    1,
                    index -> Mono.<Tensor>fromCallable(() -> {
                                both.await();
                                throw new StoreException("connection reset");
                            })
                            .subscribeOn(Schedulers.boundedElastic()));
            AtomicInteger quarantined = new AtomicInteger();
            ErrorPolicy policy = ErrorPolicy.skip().budget(1).quarantine(failure -> quarantined.incrementAndGet());

            assertThat(samples(broken.onError(policy), Sampler.sequential().epochs(2)))
                    .hasSize(2);
            assertThat(quarantined).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void retry_sampleThatComesBack_isDelivered(int failures) {
        ConcurrentHashMap<Long, AtomicInteger> attempts = new ConcurrentHashMap<>();
        FakeDataset flaky = FakeDataset.answering(
                10,
                index -> Mono.fromCallable(() -> {
                    int attempt = attempts.computeIfAbsent(index, i -> new AtomicInteger())
                            .incrementAndGet();
                    if (index == 6 && attempt <= failures) {
                        throw new StoreException("connection reset");
                    }
                    return Tensor.scalar(index);
                }));
        ErrorPolicy policy = ErrorPolicy.fail().retry(failures, Duration.ofMillis(1));

        assertThat(samples(flaky.onError(policy), Sampler.sequential()))
                .hasSize(10)
                .allMatch(Sample::isPresent);
        assertThat(attempts.get(6L)).hasValue(failures + 1);
    }

    @Test
    void retry_usedUp_reportsTheLastFailure() {
        AtomicInteger attempts = new AtomicInteger();
        FakeDataset broken = FakeDataset.answering(
                1, index -> Mono.error(() -> new StoreException("attempt " + attempts.incrementAndGet())));

        StepVerifier.create(
                        broken.onError(ErrorPolicy.fail().retry(2, Duration.ofMillis(1))).stream(Sampler.sequential()))
                .expectErrorMessage("stage \"load\" failed on sample 0: #0: attempt 3")
                .verify();
    }

    @Test
    void skip_failureThatIsNoSamples_endsTheStream() {
        Pipeline<Tensor> pipeline = FakeDataset.immediate(3)
                .map("native", (Tensor value) -> {
                    if (value != null) {
                        throw new NoClassDefFoundError("opencv");
                    }
                    return Tensor.scalar(0);
                })
                .onError(ErrorPolicy.skip());

        StepVerifier.create(pipeline.stream(Sampler.sequential()))
                .expectErrorMatches(e -> e.getCause() instanceof NoClassDefFoundError)
                .verify();
    }

    @Test
    void quarantine_slowWriter_blocksNoWorker() {
        List<String> threads = new CopyOnWriteArrayList<>();
        ErrorPolicy policy = ErrorPolicy.skip().quarantine(failure -> {
            assertThat(Schedulers.isInNonBlockingThread()).isFalse();
            threads.add(Thread.currentThread().getName());
        });

        samples(failing(true).onError(policy), Sampler.sequential());

        assertThat(threads).hasSize(3);
    }

    @Test
    void policy_badNumbers_areNamed() {
        assertThatThrownBy(() -> ErrorPolicy.skip().budget(-1)).hasMessage("error budget must not be negative: -1");
        assertThatThrownBy(() -> ErrorPolicy.skip().budgetShare(Double.NaN))
                .hasMessage("error budget must be a share in [0, 1], was NaN");
        assertThatThrownBy(() -> ErrorPolicy.fail().retry(-1, Duration.ZERO))
                .hasMessage("retries and back-off must not be negative: -1, PT0S");
    }
}
