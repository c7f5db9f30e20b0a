package io.penstock.simulation;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/** The workers of a stream: a pool that somebody may dispose of while streams use it. */
final class SimulatedPool implements Scheduler {

    private final SimulatedScheduler threads;
    private boolean closed;

    SimulatedPool(SimulatedScheduler threads) {
        this.threads = threads;
    }

    /** From now on tasks are rejected; those that were taken still run. */
    void close() {
        closed = true;
    }

    private SimulatedScheduler open() {
        if (closed) {
            throw new RejectedExecutionException("the simulated pool was disposed of");
        }
        return threads;
    }

    @Override
    public Disposable schedule(Runnable task) {
        return open().schedule(task);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return open().schedule(task, delay, unit);
    }

    @Override
    public Worker createWorker() {
        return open().createWorker();
    }

    @Override
    public long now(TimeUnit unit) {
        return threads.now(unit);
    }
}
