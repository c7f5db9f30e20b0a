package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.StoreException;
import io.penstock.internal.Thrown;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class ReadLanesTest {

    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private final Scheduler byHand = Schedulers.fromExecutor(scheduled::add);
    private final AtomicLong clock = new AtomicLong(); // stands still: no read is slow, so one lane is enough
    private final AtomicInteger reads = new AtomicInteger();

    private ReadLanes lanesByHand() {
        return new ReadLanes(byHand, clock::get);
    }

    private ByteBuffer counted() {
        return ByteBuffer.allocate(4).putInt(0, reads.incrementAndGet());
    }

    @Test
    void read_beforeDemand_schedulesNothing() {
        Mono<ByteBuffer> read = lanesByHand().read(this::counted);

        StepVerifier.create(read, 0)
                .expectSubscription()
                .then(() -> assertThat(scheduled).isEmpty())
                .thenRequest(1)
                .then(() -> assertThat(scheduled).hasSize(1))
                .then(() -> assertThat(reads).hasValue(0))
                .then(() -> scheduled.remove().run())
                .expectNextCount(1)
                .verifyComplete();
        assertThat(reads).hasValue(1);
    }

    /** Reactor's operators rethrow it: as they did where a class was missing that an array's metadata need. */
    @Test
    void read_whoseSubscriberThrowsAnError_failsAndTheNextIsRead() {
        ReadLanes lanes = lanesByHand();
        LinkageError thrown = new NoClassDefFoundError("of a jar that is missing");
        Mono<ByteBuffer> failing = lanes.read(this::counted).flatMap(bytes -> {
            throw thrown;
        });

        StepVerifier.create(failing)
                .then(() -> scheduled.remove().run())
                .expectErrorSatisfies(e -> assertThat(Thrown.cause(e)).isSameAs(thrown))
                .verify(Duration.ofSeconds(5));
        StepVerifier.create(lanes.read(this::counted))
                .then(() -> scheduled.remove().run())
                .expectNextCount(1)
                .verifyComplete();
    }

    @Test
    void read_manyWaiting_areOneTaskForTheScheduler() {
        ReadLanes lanes = lanesByHand();
        AtomicInteger delivered = new AtomicInteger();
        for (int i = 0; i < 50; i++) {
            lanes.read(this::counted).subscribe(bytes -> delivered.incrementAndGet());
        }
        int tasks = scheduled.size();

        scheduled.remove().run();

        assertThat(tasks).isEqualTo(1);
        assertThat(delivered).hasValue(50);
    }

    @Test
    void read_thatIsSlow_hasAnotherLaneBesideIt() {
        ReadLanes lanes = lanesByHand();
        AtomicInteger delivered = new AtomicInteger();
        for (int i = 0; i < 50; i++) {
            lanes.read(() -> {
                        clock.addAndGet(10 * ReadLanes.NANOS_A_LANE);
                        return counted();
                    })
                    .subscribe(bytes -> delivered.incrementAndGet());
        }

        scheduled.remove().run();
        int lanesBeside = scheduled.size();
        while (!scheduled.isEmpty()) {
            scheduled.remove().run();
        }

        assertThat(lanesBeside).isPositive();
        assertThat(delivered).hasValue(50);
    }

    @Test
    void read_cancelledWhileWaiting_isNotPerformed() {
        ReadLanes lanes = lanesByHand();
        Disposable cancelled = lanes.read(this::counted).subscribe();
        AtomicInteger other = new AtomicInteger();
        lanes.read(this::counted).subscribe(bytes -> other.set(bytes.getInt(0)));

        cancelled.dispose();
        scheduled.remove().run();

        assertThat(reads).hasValue(1);
        assertThat(other).hasValue(1);
    }

    @Test
    void read_thatFails_isAnErrorAndTheNextGoesOn() {
        ReadLanes lanes = new ReadLanes(ReadThreads.SHARED);

        Flux<String> outcomes = Flux.range(0, 4)
                .concatMap(i -> lanes.read(() -> {
                            switch (i) {
                                case 0 -> throw new StoreException("broken");
                                case 2 -> throw new OutOfMemoryError("too large");
                                default -> {
                                    return counted();
                                }
                            }
                        })
                        .map(bytes -> "read")
                        .onErrorResume(e -> Mono.just(e.getMessage())));

        StepVerifier.create(outcomes)
                .expectNext("broken", "read", "java.lang.OutOfMemoryError: too large", "read")
                .verifyComplete();
    }

    @Test
    void read_schedulerShutDown_isAnErrorForAllThatWait() {
        Scheduler gone = Schedulers.newBoundedElastic(1, 1, "gone");
        gone.dispose();
        ReadLanes lanes = new ReadLanes(gone);

        StepVerifier.create(lanes.read(this::counted))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage("cannot read: the scheduler for blocking reads is shut down or full"));
    }

    @Test
    void read_waitingBehindASlowSubscriber_hasALaneOfItsOwn() {
        ReadLanes lanes = lanesByHand();
        List<Integer> order = new ArrayList<>();
        lanes.read(this::counted).subscribe(bytes -> {
            scheduled.remove().run(); // what another thread does while this one is held up
            order.add(bytes.getInt(0));
        });
        lanes.read(this::counted).subscribe(bytes -> order.add(bytes.getInt(0)));

        scheduled.remove().run();

        assertThat(order).containsExactly(2, 1);
        assertThat(scheduled).isEmpty();
    }

    @Test
    void read_comingWhenALaneIsAboutToEnd_isNotForgotten() {
        ReadLanes lanes = new ReadLanes(ReadThreads.SHARED);
        AtomicInteger delivered = new AtomicInteger();
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();

        for (int i = 0; i < 20_000; i++) {
            lanes.read(this::counted).subscribe(bytes -> delivered.incrementAndGet());
            while (delivered.get() == i && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
        }

        assertThat(delivered).hasValue(20_000);
    }

    @Test
    void read_subscriberThatWaitsForAnotherRead_getsIt() {
        ReadLanes lanes = new ReadLanes(ReadThreads.SHARED);

        Flux<ByteBuffer> nested = Flux.range(0, 20)
                .flatMap(
                        i -> lanes.read(this::counted).doOnNext(bytes -> {
                            // what no one should do, and everyone does once
                            assertThat(lanes.read(this::counted).block()).isNotNull();
                        }),
                        4);

        StepVerifier.create(nested).expectNextCount(20).expectComplete().verify();
    }

    @Test
    void read_subscribersThatWaitForEachOther_allGetTheirs() {
        ReadLanes lanes = new ReadLanes(ReadThreads.SHARED);
        int ranks = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE + 1; // so many that pool has no threads for
        CyclicBarrier together = new CyclicBarrier(ranks); // as ranks in one process do, step by step

        Flux<ByteBuffer> rank = Flux.range(0, 10)
                .flatMapSequential(i -> lanes.read(this::counted), 8)
                .doOnNext(bytes -> await(together));

        StepVerifier.create(Flux.range(0, ranks).flatMap(i -> rank, ranks))
                .expectNextCount(10L * ranks)
                .expectComplete()
                .verify();
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(300, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
