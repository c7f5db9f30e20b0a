package io.penstock.simulation;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Stands for each of Reactor's own pools: what is scheduled there goes to the run that is under way. */
final class SimulatedThreads implements Schedulers.Factory {

    private final Supplier<Scheduler> current;

    SimulatedThreads(Supplier<Scheduler> current) {
        this.current = current;
    }

    private final class Forwarding implements Scheduler {
        @Override
        public Disposable schedule(Runnable task) {
            return current.get().schedule(task);
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            return current.get().schedule(task, delay, unit);
        }

        @Override
        public Worker createWorker() {
            return current.get().createWorker();
        }

        @Override
        public long now(TimeUnit unit) {
            return current.get().now(unit);
        }
    }

    @Override
    public Scheduler newBoundedElastic(int threads, int queue, ThreadFactory factory, int ttlSeconds) {
        return new Forwarding();
    }

    @Override
    public Scheduler newParallel(int parallelism, ThreadFactory factory) {
        return new Forwarding();
    }

    @Override
    public Scheduler newSingle(ThreadFactory factory) {
        return new Forwarding();
    }
}
