package io.penstock.stream;

import io.penstock.internal.GuardedScheduler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The process's threads for work on the processor, one a processor, which take their tasks from one queue.
 *
 * <p>{@code Schedulers.parallel()} has a queue a thread and hands tasks out in turn. So a picture waits behind another
 * one while the next thread is idle. Where a cache answers for some samples, misses are few and uneven, and two threads
 * were idle for a tenth of an epoch. That pool's timers also waited behind pictures.
 *
 * <p>Tasks begin in the order in which they came. Threads are daemons and must not be blocked. It serves
 * every stream, so disposing of it does nothing.
 */
final class WorkerPool implements Scheduler {

    static final int THREADS = Schedulers.DEFAULT_POOL_SIZE;

    private static final AtomicInteger STARTED = new AtomicInteger();

    static final WorkerPool SHARED = new WorkerPool();

    private final Scheduler threads;

    private WorkerPool() {
        Scheduler pool = of(THREADS);
        this.threads = new GuardedScheduler(() -> pool);
    }

    /** Another pool of such threads, which ends when it is disposed of. */
    static Scheduler of(int threads) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                threads, task -> new WorkerThread(task, "penstock-worker-" + STARTED.incrementAndGet()));
        executor.setRemoveOnCancelPolicy(true); // frees at once what a cancelled task holds
        return GuardedScheduler.of(executor, "penstock-worker");
    }

    private static final class WorkerThread extends Thread implements NonBlocking {
        WorkerThread(Runnable task, String name) {
            super(task, name);
            setDaemon(true);
        }
    }

    @Override
    public Disposable schedule(Runnable task) {
        return threads.schedule(task);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return threads.schedule(task, delay, unit);
    }

    @Override
    public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
        return threads.schedulePeriodically(task, initialDelay, period, unit);
    }

    @Override
    public Worker createWorker() {
        return threads.createWorker();
    }

    @Override
    public String toString() {
        return "penstock-worker";
    }
}
