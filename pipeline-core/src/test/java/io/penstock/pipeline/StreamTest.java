package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.FormatException;
import io.penstock.fault.SampleException;
import io.penstock.order.Draws;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class StreamTest {

    private static final Sampler SHUFFLED = Sampler.shuffled(42).epochs(3);

    private static Scheduler workers;

    @BeforeAll
    static void startWorkers() {
        workers = Schedulers.newParallel("test-workers", 4);
    }

    @AfterAll
    static void stopWorkers() {
        workers.dispose();
    }

    private static List<Long> values(Pipeline<Tensor> pipeline, Sampler sampler, Execution execution) {
        return pipeline.stream(sampler, execution)
                .map(sample -> sample.value().longAt(0))
                .collectList()
                .block();
    }

    private static List<Long> drawn(Sampler sampler, long size) {
        Draws draws = sampler.draws(size);
        return LongStream.range(0, draws.count())
                .mapToObj(number -> draws.at(number).index())
                .toList();
    }

    private static Tensor spin(Tensor value, RandomGenerator random) {
        long dice = 0;
        for (int i = 0; i < 30_000; i++) { // long enough that the stream hands such samples to its workers
            dice += random.nextLong();
        }
        return Tensor.scalar(value.longAt(0) ^ dice);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 32, 100})
    void stream_anyInFlight_deliversInDrawOrder(int inFlight) {
        Execution execution = Execution.standard().inFlight(inFlight).workers(workers, 3);

        assertThat(values(FakeDataset.immediate(200), SHUFFLED, execution)).isEqualTo(drawn(SHUFFLED, 200));
        assertThat(values(FakeDataset.blocking(200), SHUFFLED, execution)).isEqualTo(drawn(SHUFFLED, 200));
        assertThat(values(FakeDataset.jittery(200), SHUFFLED, execution)).isEqualTo(drawn(SHUFFLED, 200));
    }

    @Test
    void stream_augmentedOnAnyThreads_deliversTheSameValues() {
        List<Long> alone = values(
                FakeDataset.immediate(300).augment("spin", StreamTest::spin),
                SHUFFLED,
                Execution.standard().inFlight(1).workers(Schedulers.immediate(), 1));

        for (int inFlight : new int[] {2, 16, 64}) {
            Execution execution = Execution.standard().inFlight(inFlight).workers(workers, 4);
            assertThat(values(FakeDataset.immediate(300).augment("spin", StreamTest::spin), SHUFFLED, execution))
                    .isEqualTo(alone);
            assertThat(values(FakeDataset.jittery(300).augment("spin", StreamTest::spin), SHUFFLED, execution))
                    .isEqualTo(alone);
        }
    }

    @Test
    void stream_dearStages_runOnTheWorkers() {
        List<String> threads = new ArrayList<>();
        Pipeline<Tensor> pipeline = FakeDataset.immediate(500).augment("spin", (value, random) -> {
            Tensor spun = spin(value, random);
            synchronized (threads) {
                threads.add(Thread.currentThread().getName());
            }
            return spun;
        });

        values(pipeline, Sampler.sequential(), Execution.standard().workers(workers, 4));

        assertThat(threads.stream()
                        .filter(name -> name.startsWith("test-workers"))
                        .count())
                .isGreaterThan(400);
    }

    @Test
    void stream_withoutDemand_beginsNothing() {
        FakeDataset dataset = FakeDataset.blocking(10);

        StepVerifier.create(dataset.stream(Sampler.sequential()), 0)
                .expectSubscription()
                .then(() -> assertThat(dataset.totalLoads()).isZero())
                .thenRequest(2)
                .expectNextCount(2)
                .thenCancel()
                .verify();
    }

    @Test
    void stream_slowConsumer_runsAtMostInFlightAhead() {
        FakeDataset dataset = FakeDataset.blocking(1_000);

        StepVerifier.create(
                        dataset.stream(
                                Sampler.sequential(), Execution.standard().inFlight(8)),
                        0)
                .expectSubscription()
                .thenRequest(1)
                .expectNextCount(1)
                .thenRequest(20)
                .expectNextCount(20)
                .thenCancel()
                .verify();

        assertThat(dataset.mostInFlight.get()).isLessThanOrEqualTo(8);
        assertThat(dataset.totalLoads()).isBetween(21, 29);
    }

    @Test
    void stream_immediateSamples_areBegunOnlyOnDemand() {
        FakeDataset dataset = FakeDataset.immediate(1_000);

        StepVerifier.create(dataset.stream(Sampler.sequential()), 0)
                .expectSubscription()
                .thenRequest(3)
                .expectNextCount(3)
                .then(() -> assertThat(dataset.totalLoads()).isEqualTo(3))
                .thenCancel()
                .verify();
    }

    @Test
    void stream_emptyDataset_completesWithoutDemand() {
        StepVerifier.create(FakeDataset.immediate(0).stream(SHUFFLED), 0)
                .expectComplete()
                .verify();
    }

    @Test
    void stream_failures_firstInDrawOrderArrivesAfterWhatCameBefore() {
        // sample 7 fails at once, sample 5 much later: 5 is the one to report
        FakeDataset dataset = FakeDataset.answering(20, index -> {
            if (index == 7) {
                return Mono.error(new FormatException("seven"));
            }
            return index == 5
                    ? Mono.delay(Duration.ofMillis(50)).then(Mono.error(new FormatException("five")))
                    : Mono.just(Tensor.scalar(index));
        });

        StepVerifier.create(dataset.stream(Sampler.sequential())
                        .map(sample -> sample.draw().index()))
                .expectNext(0L, 1L, 2L, 3L, 4L)
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(SampleException.class)
                        .hasMessage("stage \"load\" failed on sample 5: #5: five"))
                .verify();
    }

    @Test
    void stream_failureWithLoadsInFlight_cancelsThem() {
        CountDownLatch others = new CountDownLatch(9);
        FakeDataset dataset = FakeDataset.answering(
                20,
                index -> index == 0
                        ? Mono.<Tensor>fromCallable(() -> {
                                    others.await();
                                    throw new FormatException("zero");
                                })
                                .subscribeOn(Schedulers.boundedElastic())
                        : Mono.<Tensor>never().doOnSubscribe(begun -> others.countDown()));

        StepVerifier.create(dataset.stream(
                        Sampler.sequential(), Execution.standard().inFlight(10)))
                .expectError(SampleException.class)
                .verify();

        while (dataset.cancelled.get() < 9) { // the last may just be subscribed to
            Thread.onSpinWait();
        }
        assertThat(dataset.inFlight.get()).isZero();
    }

    @Test
    void stream_cancelled_cancelsLoadsInFlight() {
        FakeDataset dataset = FakeDataset.silent(100);

        StepVerifier.create(dataset.stream(
                        Sampler.sequential(), Execution.standard().inFlight(16)))
                .expectSubscription()
                .thenAwait(Duration.ofMillis(1))
                .thenCancel()
                .verify();

        assertThat(dataset.cancelled.get()).isEqualTo(16);
        assertThat(dataset.inFlight.get()).isZero();
    }

    @Test
    void stream_linkageErrorInStage_endsTheStream() {
        for (FakeDataset dataset : List.of(FakeDataset.immediate(5), FakeDataset.blocking(5))) {
            StepVerifier.create(dataset
                            .map("native", value -> {
                                throw new UnsatisfiedLinkError("no such library");
                            })
                            .stream(Sampler.sequential()))
                    .expectErrorMessage(
                            "stage \"native\" failed on sample 0: #0: UnsatisfiedLinkError: no such library")
                    .verify();
        }
    }

    @Test
    void stream_padding_deliversSamplesWithoutValue() {
        Sampler sampler = Sampler.sequential().shard(Shard.of(3, 4)).remainder(Remainder.PAD);

        StepVerifier.create(FakeDataset.immediate(6).stream(sampler).map(Sample::isPresent))
                .expectNext(true, false)
                .expectComplete()
                .verify();
    }

    @Test
    void stream_poolDisposedUnderIt_endsWithAnError() {
        Scheduler gone = Schedulers.newParallel("gone", 1);
        gone.dispose();
        Pipeline<Tensor> pipeline = FakeDataset.immediate(1_000).augment("spin", StreamTest::spin);

        StepVerifier.create(pipeline.stream(
                        Sampler.sequential(), Execution.standard().workers(gone, 1)))
                .thenConsumeWhile(sample -> true)
                .expectError()
                .verify();
    }

    @Test
    void stream_askedFromAnotherThread_isServedToTheEnd() {
        Pipeline<Tensor> pipeline = FakeDataset.immediate(100).augment("spin", StreamTest::spin);
        Scheduler asking = Schedulers.newSingle("asking");

        Long delivered = pipeline.stream(
                        Sampler.sequential().epochs(50),
                        Execution.standard().inFlight(2).workers(workers, 1))
                .publishOn(asking, 1)
                .count()
                .block();

        assertThat(delivered).isEqualTo(5_000);
        asking.dispose();
    }

    @Test
    void stream_racingRequestsAndCancels_neverLosesASignal() throws InterruptedException {
        for (int round = 0; round < 300; round++) {
            FakeDataset dataset = round % 2 == 0 ? FakeDataset.jittery(64) : FakeDataset.immediate(64);
            Pipeline<Tensor> pipeline = dataset.augment("spin", StreamTest::spin);
            AtomicInteger received = new AtomicInteger();
            CountDownLatch done = new CountDownLatch(1);
            var subscriber = new reactor.core.publisher.BaseSubscriber<Sample<Tensor>>() {
                @Override
                protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {}

                @Override
                protected void hookOnNext(Sample<Tensor> sample) {
                    received.incrementAndGet();
                }

                @Override
                protected void hookFinally(reactor.core.publisher.SignalType type) {
                    done.countDown();
                }
            };
            pipeline.stream(
                            Sampler.shuffled(round),
                            Execution.standard().inFlight(1 + round % 9).workers(workers, 3))
                    .subscribe(subscriber);
            boolean cancels = round % 5 == 0;
            for (int n = 0; n < 16; n++) {
                workers.schedule(() -> subscriber.request(4));
            }
            if (cancels) {
                workers.schedule(subscriber::cancel);
            }

            assertThat(done.await(300, TimeUnit.SECONDS)).as("round %d", round).isTrue();
            if (!cancels) {
                assertThat(received).hasValue(64);
            }
        }
    }
}
