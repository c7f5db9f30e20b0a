package io.penstock.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Scheduler;

class WorkerPoolTest {

    private final Scheduler pool = Execution.standard().workers();

    @Test
    void schedule_oneThreadBusyForLong_theOthersTakeEveryTask() throws InterruptedException {
        assumeTrue(WorkerPool.THREADS > 1, "needs two processors");
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(4 * WorkerPool.THREADS);
        try {
            pool.schedule(() -> workUntil(over));
            for (int task = 0; task < 4 * WorkerPool.THREADS; task++) {
                pool.schedule(others::countDown);
            }

            assertThat(others.await(300, TimeUnit.SECONDS))
                    .as("no task waits behind the one that takes long")
                    .isTrue();
        } finally {
            over.countDown();
        }
    }

    @Test
    void threads_areDaemonsThatMustNotBeBlocked() {
        Thread worker =
                Mono.fromCallable(Thread::currentThread).subscribeOn(pool).block();

        assertThat(worker).isInstanceOf(NonBlocking.class);
        assertThat(worker.isDaemon()).isTrue();
        assertThat(worker.getName()).startsWith("penstock-worker-");
    }

    @Test
    void schedule_later_runsLater() {
        assertThat(Mono.delay(Duration.ofMillis(5), pool).block()).isZero();
        assertThat(Flux.interval(Duration.ofMillis(1), pool).take(3).count().block())
                .isEqualTo(3);
    }

    @Test
    void dispose_aPoolThatAllShare_goesOn() {
        pool.dispose();

        assertThat(Mono.just(1).publishOn(pool).block()).isOne();
    }

    @Test
    void newWorkers_disposed_theirThreadsEnd() throws InterruptedException {
        Scheduler own = Execution.newWorkers(1);
        Thread worker =
                Mono.fromCallable(Thread::currentThread).subscribeOn(own).block();

        own.dispose();

        worker.join(20_000);
        assertThat(worker.isAlive()).isFalse();
        assertThat(pool.isDisposed()).isFalse();
    }

    @Test
    void newWorkers_none_refused() {
        assertThatThrownBy(() -> Execution.newWorkers(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("workers must be in [1, 32767], was 0");
    }

    /** Busy, not blocked, which these threads must not be; {@code onSpinWait} counts as blocking. */
    private static void workUntil(CountDownLatch over) {
        while (over.getCount() > 0) {
            // looks again
        }
    }
}
