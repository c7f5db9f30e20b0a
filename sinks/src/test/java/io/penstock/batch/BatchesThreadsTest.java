package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class BatchesThreadsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static String thread() {
        return Thread.currentThread().getName();
    }

    private static Flux<Batch> batches(Points points, List<String> stackedOn, Batches<Points.Point> spec) {
        return points.stream(Sampler.sequential())
                .doOnNext(sample -> stackedOn.add(thread()))
                .transform(spec);
    }

    @Test
    void signals_comeFromOneThreadThatMayBlock() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Flux<Batch> batches = Points.jittery(200).stream(Sampler.sequential())
                .transform(Batches.of(4, Points.SCHEMA))
                .doOnNext(batch -> threads.add(thread() + (Schedulers.isInNonBlockingThread() ? " must not" : "")))
                .doOnComplete(() -> threads.add(thread()));

        Seen.all(batches);

        assertThat(threads)
                .singleElement()
                .asString()
                .startsWith("boundedElastic-")
                .doesNotContain("must not");
    }

    @Test
    void signals_consumeOn_comeFromThere() {
        Scheduler trainer = Schedulers.newSingle("trainer");
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Flux<Batch> batches = Points.blocking(50).stream(Sampler.sequential())
                .transform(Batches.of(4, Points.SCHEMA).consumeOn(trainer))
                .doOnNext(batch -> threads.add(thread()))
                .doOnComplete(() -> threads.add(thread()));

        Seen.all(batches);
        trainer.dispose();

        assertThat(threads).singleElement().asString().startsWith("trainer-");
    }

    @Test
    void fastConsumerOfSamplesAtHand_doesEverythingOnItsOwnThread() {
        List<String> stackedOn = new ArrayList<>();
        List<String> consumedOn = new ArrayList<>();

        batches(Points.immediate(2_000), stackedOn, Batches.of(8, Points.SCHEMA))
                .doOnNext(batch -> consumedOn.add(thread()))
                .doOnNext(Batch::close)
                .blockLast();

        assertThat(consumedOn).hasSize(250).containsOnly(consumedOn.get(0));
        assertThat(stackedOn).hasSize(2_000);
        assertThat(stackedOn.stream().filter(consumedOn.get(0)::equals).count())
                .isGreaterThan(1_500); // all but what a busy machine made look slow
    }

    @Test
    void slowConsumer_isServedByTheWorkers() {
        Scheduler filler = Schedulers.newParallel("filler", 1);
        List<String> stackedOn = new ArrayList<>();

        batches(Points.immediate(400), stackedOn, Batches.of(8, Points.SCHEMA).fillOn(filler))
                .doOnNext(batch -> BatchesRingTest.spin(Duration.ofMillis(2)))
                .doOnNext(Batch::close)
                .blockLast();
        filler.dispose();

        assertThat(stackedOn).hasSize(400);
        assertThat(stackedOn.stream().filter(name -> name.startsWith("filler-")).count())
                .isGreaterThan(350);
    }

    @Test
    void batchClosedElsewhereWhileTheConsumerBlocks_isRefilledBeforeItReturns() {
        AtomicInteger stacked = new AtomicInteger();
        List<Batch> held = new ArrayList<>();
        List<Integer> sawFilled = new ArrayList<>();
        Points.immediate(400).stream(Sampler.sequential())
                .doOnNext(sample -> stacked.incrementAndGet())
                .transform(Batches.of(8, Points.SCHEMA).slots(3))
                .doOnNext(batch -> {
                    held.add(batch);
                    BatchesRingTest.spin(Duration.ofMillis(2)); // slow from the first on
                    if (held.size() == 2) {
                        int before = stacked.get();
                        Schedulers.single().schedule(() -> held.remove(0).close());
                        long deadline = System.nanoTime() + SOON.toNanos();
                        while (stacked.get() < before + 8 && System.nanoTime() < deadline) {
                            Thread.onSpinWait();
                        }
                        sawFilled.add(stacked.get() - before);
                    }
                })
                .take(8)
                .blockLast();

        assertThat(sawFilled).hasSizeGreaterThan(3).allMatch(samples -> samples >= 8);
    }

    @Test
    void disposedConsumerPool_isAnErrorAndNotAHang() {
        Scheduler gone = Schedulers.newSingle("gone");
        Flux<Batch> batches = Points.immediate(50).stream(Sampler.sequential())
                .transform(Batches.of(4, Points.SCHEMA).consumeOn(gone));

        StepVerifier.create(batches, 0)
                .expectSubscription()
                .then(gone::dispose)
                .thenRequest(1)
                .expectError(RejectedExecutionException.class)
                .verify();
    }

    @Test
    void disposedFillers_areAnErrorAndNotAHang() {
        Scheduler gone = Schedulers.newParallel("gone", 1);
        gone.dispose();
        Flux<Batch> batches = Points.immediate(4_000).stream(Sampler.sequential(), Execution.standard())
                .transform(Batches.of(4, Points.SCHEMA).fillOn(gone))
                .doOnNext(batch -> BatchesRingTest.spin(Duration.ofMillis(2)))
                .doOnNext(Batch::close);

        StepVerifier.create(batches.ignoreElements())
                .expectError(RejectedExecutionException.class)
                .verify();
    }
}
