package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Sampler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** Batches closed by other threads, asked for by others still, and cancelled when nobody expects it. */
class BatchesStressTest {

    private static final int ROUNDS = 400;
    private static final Duration SOON = Duration.ofSeconds(30);

    private static ExecutorService threads;

    @BeforeAll
    static void startThreads() {
        threads = Executors.newFixedThreadPool(4);
    }

    @AfterAll
    static void stopThreads() {
        threads.shutdownNow();
    }

    /** Hands every batch to another thread, which reads it, closes it, and asks for the next. */
    private static final class Consumer extends BaseSubscriber<Batch> {
        private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
        private final CountDownLatch ended = new CountDownLatch(1);
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicBoolean overlapped = new AtomicBoolean();
        private final AtomicInteger unread = new AtomicInteger();
        private final int cancelAfter;
        private volatile boolean failed;

        Consumer(int cancelAfter) {
            this.cancelAfter = cancelAfter;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            threads.execute(() -> request(2));
        }

        @Override
        protected void hookOnNext(Batch batch) {
            if (inside.getAndIncrement() != 0) {
                overlapped.set(true);
            }
            unread.incrementAndGet();
            threads.execute(() -> {
                seen.add(Seen.of(batch));
                unread.decrementAndGet();
                if (seen.size() == cancelAfter) {
                    cancel();
                    ended.countDown();
                } else {
                    request(1);
                }
            });
            inside.decrementAndGet();
        }

        @Override
        protected void hookOnComplete() {
            ended.countDown();
        }

        @Override
        protected void hookOnError(Throwable throwable) {
            failed = true;
            ended.countDown();
        }
    }

    @Test
    void batches_underAnyThreads_bringEverySampleOnceAndEverySlotBack() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < ROUNDS; round++) {
            int size = random.nextInt(1, 120);
            int n = random.nextInt(1, 12);
            int slots = random.nextInt(1, 4);
            boolean cancels = random.nextInt(3) == 0;
            Points points = List.of(Points.immediate(size), Points.jittery(size), Points.blocking(size))
                    .get(random.nextInt(3));
            AtomicInteger allocations = new AtomicInteger();
            Consumer consumer = new Consumer(cancels ? random.nextInt(1, 8) : Integer.MAX_VALUE);
            BatchRun<Points.Point> run = new BatchRun<>(
                    Collation.of(n, Points.SCHEMA),
                    BatchOptions.standard().slots(slots).allocator(bytes -> {
                        allocations.incrementAndGet();
                        return ByteBuffer.allocate(bytes);
                    }),
                    consumer);

            points.stream(Sampler.shuffled(round).epochs(2)).subscribe(run);
            BatchesRingTest.await(consumer.ended);

            long deadline = System.nanoTime() + SOON.toNanos();
            while ((run.ring().lent() > 0 || consumer.unread.get() > 0) && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            String where = "round %d: %d samples, n %d, %d slots".formatted(round, size, n, slots);
            assertThat(consumer.failed).as(where).isFalse();
            assertThat(consumer.overlapped).as(where).isFalse();
            assertThat(run.ring().lent()).as(where).isZero();
            assertThat(allocations.get()).as(where).isLessThanOrEqualTo(2 * slots);
            if (!cancels) {
                assertThat(consumer.seen.stream().mapToInt(Seen::size).sum())
                        .as(where)
                        .isEqualTo(2 * size);
                assertThat(consumer.seen.stream()
                                .flatMap(seen -> seen.ids().stream())
                                .distinct()
                                .count())
                        .as(where)
                        .isEqualTo(size);
            }
        }
    }
}
