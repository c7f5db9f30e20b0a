package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.penstock.cache.Fingerprint;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class StreamObservationTest {

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final TestPublisher<Long> source = TestPublisher.create();
    private final StreamObservation<Long> plain = StreamObservation.of(registry, "job");
    private final StreamObservation<Long> byEpochs = plain.epochs(value -> value / 10);

    StreamObservationTest() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onStart(Observation.Context context) {
                seen.add("start " + described(context));
            }

            @Override
            public void onError(Observation.Context context) {
                seen.add("error " + context.getName() + " " + context.getError().getMessage());
            }

            @Override
            public void onStop(Observation.Context context) {
                seen.add("stop " + described(context));
            }
        });
    }

    private static String described(Observation.Context context) {
        StringBuilder text = new StringBuilder(context.getName());
        if (context.getParentObservation() != null) {
            text.append(" in ")
                    .append(context.getParentObservation().getContextView().getName());
        }
        context.getAllKeyValues()
                .forEach(pair ->
                        text.append(' ').append(pair.getKey()).append('=').append(pair.getValue()));
        return text.toString();
    }

    @Test
    void observation_withoutDemand_requestsNothingAndEndsOnceByCancel() {
        StepVerifier.create(source.flux().tap(plain), 0)
                .expectSubscription()
                .then(() -> assertThat(seen).containsExactly("start job"))
                .then(source::assertWasNotRequested)
                .thenCancel()
                .verify();

        source.assertCancelled();
        assertThat(seen).containsExactly("start job", "stop job outcome=cancel");
    }

    @Test
    void observation_ofEpochsThatARegistryRefuses_isAskedForOnceAnEpoch() {
        List<String> asked = new ArrayList<>();
        registry.observationConfig().observationPredicate((name, context) -> {
            asked.add(name);
            return !name.equals("job.epoch");
        });

        Flux.just(0L, 1L, 2L, 10L, 11L).tap(byEpochs).blockLast();

        assertThat(asked).containsExactly("job", "job.epoch", "job.epoch");
    }

    @Test
    void observation_ofAFluxThatIsNotSubscribedTo_doesNotBegin() {
        source.flux().tap(byEpochs);

        assertThat(seen).isEmpty();
    }

    @Test
    void epochs_areChildrenThatFollowOneAnother() {
        StepVerifier.create(Flux.just(30L, 31L, 40L, 60L).tap(byEpochs), 1)
                .expectNext(30L)
                .thenRequest(3)
                .expectNext(31L, 40L, 60L)
                .verifyComplete();

        assertThat(seen)
                .containsExactly(
                        "start job",
                        "start job.epoch in job epoch=3",
                        "stop job.epoch in job epoch=3 outcome=complete",
                        "start job.epoch in job epoch=4",
                        "stop job.epoch in job epoch=4 outcome=complete",
                        "start job.epoch in job epoch=6",
                        "stop job.epoch in job epoch=6 outcome=complete",
                        "stop job outcome=complete");
    }

    @Test
    void failure_isThatOfTheStreamAndOfItsEpoch() {
        StepVerifier.create(source.flux().tap(byEpochs))
                .then(() -> source.next(5L).error(new IllegalStateException("broken")))
                .expectNext(5L)
                .verifyErrorMessage("broken");

        assertThat(seen)
                .containsExactly(
                        "start job",
                        "start job.epoch in job epoch=0",
                        "error job.epoch broken",
                        "stop job.epoch in job epoch=0 outcome=error",
                        "error job broken",
                        "stop job outcome=error");
    }

    @Test
    void cancel_ofTheConsumerOfAValue_endsBothOnce() {
        StepVerifier.create(source.flux().tap(byEpochs).take(1))
                .then(() -> source.next(5L))
                .expectNext(5L)
                .verifyComplete();

        assertThat(seen)
                .containsExactly(
                        "start job",
                        "start job.epoch in job epoch=0",
                        "stop job.epoch in job epoch=0 outcome=cancel",
                        "stop job outcome=cancel");
    }

    @Test
    void epochThatCannotBeTold_failsTheStreamAndItsObservation() {
        StreamObservation<Long> broken = plain.epochs(value -> {
            throw new IllegalStateException("no epoch");
        });

        StepVerifier.create(Flux.just(1L).tap(broken)).verifyErrorMessage("no epoch");

        assertThat(seen).containsExactly("start job", "error job no epoch", "stop job outcome=error");
    }

    /** A cancel that comes between an epoch and the next must leave no observation open. */
    @Test
    void cancelsDuringValues_leaveNothingOpen() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int i = 0; i < 500; i++) {
                TestPublisher<Long> racing =
                        TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
                reactor.core.Disposable taking = racing.flux().tap(byEpochs).subscribe();
                CountDownLatch both = new CountDownLatch(2);
                Future<?> values = threads.submit(() -> {
                    both.countDown();
                    both.await();
                    racing.next(1L, 11L, 21L, 31L, 41L);
                    racing.complete();
                    return null;
                });
                Future<?> cancel = threads.submit(() -> {
                    both.countDown();
                    both.await();
                    taking.dispose();
                    return null;
                });
                values.get();
                cancel.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(seen.stream()
                        .filter(line -> line.startsWith("start job.epoch"))
                        .count())
                .isEqualTo(seen.stream()
                        .filter(line -> line.startsWith("stop job.epoch"))
                        .count());
        assertThat(seen.stream().filter(line -> line.equals("start job")).count())
                .isEqualTo(500);
        assertThat(seen.stream()
                        .filter(line -> line.startsWith("stop job outcome"))
                        .count())
                .isEqualTo(500);
    }

    @Test
    void parent_comesFromReactorsContext_andReachesLoads() {
        Set<String> parents = ConcurrentHashMap.newKeySet();
        Observation outer = Observation.start("request", registry);
        Flux<Sample<Long>> loaded = new Dataset<Long>() {
            @Override
            public long size() {
                return 20;
            }

            @Override
            public Fingerprint fingerprint() {
                return Fingerprint.of("numbers");
            }

            @Override
            public Mono<Long> get(long index) {
                return Mono.deferContextual(context -> {
                    Observation parent = context.get(ObservationThreadLocalAccessor.KEY);
                    parents.add(parent.getContextView().getName());
                    return Mono.just(index);
                });
            }
        }.stream(Sampler.shuffled(1).epochs(2));

        loaded.tap(StreamObservation.<Sample<Long>>of(registry, "penstock.stream")
                        .epochs(sample -> sample.draw().epoch()))
                .contextWrite(context -> context.put(ObservationThreadLocalAccessor.KEY, outer))
                .blockLast();
        outer.stop();

        assertThat(parents).containsExactly("penstock.stream");
        assertThat(seen)
                .containsExactly(
                        "start request",
                        "start penstock.stream in request",
                        "start penstock.stream.epoch in penstock.stream epoch=0",
                        "stop penstock.stream.epoch in penstock.stream epoch=0 outcome=complete",
                        "start penstock.stream.epoch in penstock.stream epoch=1",
                        "stop penstock.stream.epoch in penstock.stream epoch=1 outcome=complete",
                        "stop penstock.stream in request outcome=complete",
                        "stop request");
    }

    @Test
    void parent_isElseTheObservationOfTheSubscribersThread() {
        Observation outer = Observation.start("request", registry);
        outer.scoped(() -> Mono.just(1L).tap(plain).block());

        assertThat(seen)
                .containsExactly("start request", "start job in request", "stop job in request outcome=complete");
    }

    @Test
    void meters_countEpochsByOutcomeAndTags() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        StreamObservation<Long> tagged = StreamObservation.<Long>of(registry, "run", KeyValues.of("rank", "3"))
                .epochs(value -> value);

        Flux.range(0, 3).map(Integer::longValue).tap(tagged).blockLast();
        Flux.just(9L, 9L).tap(tagged).blockFirst();

        assertThat(List.of(count(meters, "run", "complete"), count(meters, "run", "cancel")))
                .containsExactly(1L, 1L);
        assertThat(List.of(count(meters, "run.epoch", "complete"), count(meters, "run.epoch", "cancel")))
                .containsExactly(3L, 1L);
    }

    private static long count(SimpleMeterRegistry meters, String name, String outcome) {
        return meters.get(name).tags("rank", "3", "outcome", outcome).timer().count();
    }
}
