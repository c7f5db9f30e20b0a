package io.penstock.store.internal;

import io.penstock.internal.GuardedScheduler;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.scheduler.Scheduler;

/**
 * The process's threads for reads that block. A busy pool starts more; a thread that is idle for a minute ends.
 *
 * <p>{@code Schedulers.boundedElastic()} queues a task on a busy thread when all its threads are busy. If that thread
 * runs a subscriber that waits for the read that is queued after it, both wait for ever. Here no read waits for a
 * thread: a store reads on {@value ReadLanes#MAX_LANES} at most, and there is one more for each subscriber that does
 * not return.
 */
public final class ReadThreads {

    private static final AtomicInteger STARTED = new AtomicInteger();

    public static final Scheduler SHARED =
            GuardedScheduler.of(Executors.newCachedThreadPool(ReadThreads::daemon), "penstock-read");

    private ReadThreads() {}

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "penstock-read-" + STARTED.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
