package io.penstock.internal;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A scheduler whose tasks end their stream where they throw. Reactor's own only log what an operator rethrows on their
 * threads, and its subscriber waits for ever.
 *
 * <p>Disposing of it does nothing: the threads are another's.
 */
public final class GuardedScheduler implements Scheduler {

    /** {@code Schedulers.boundedElastic()}. */
    public static final Scheduler ELASTIC = new GuardedScheduler(Schedulers::boundedElastic);

    /** {@code Schedulers.parallel()}. */
    public static final Scheduler PARALLEL = new GuardedScheduler(Schedulers::parallel);

    private final Supplier<Scheduler> threads;

    /** @param threads asked each time, as Reactor's may be replaced */
    public GuardedScheduler(Supplier<Scheduler> threads) {
        this.threads = threads;
    }

    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                Guarded.fail(task, e);
            }
        };
    }

    @Override
    public Disposable schedule(Runnable task) {
        return threads.get().schedule(guarded(task));
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return threads.get().schedule(guarded(task), delay, unit);
    }

    @Override
    public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
        return threads.get().schedulePeriodically(guarded(task), initialDelay, period, unit);
    }

    @Override
    public long now(TimeUnit unit) {
        return threads.get().now(unit);
    }

    @Override
    public Worker createWorker() {
        return new GuardedWorker(threads.get().createWorker());
    }

    @Override
    public String toString() {
        return threads.get().toString();
    }

    private record GuardedWorker(Worker worker) implements Worker {

        @Override
        public Disposable schedule(Runnable task) {
            return worker.schedule(guarded(task));
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            return worker.schedule(guarded(task), delay, unit);
        }

        @Override
        public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
            return worker.schedulePeriodically(guarded(task), initialDelay, period, unit);
        }

        @Override
        public void dispose() {
            worker.dispose();
        }

        @Override
        public boolean isDisposed() {
            return worker.isDisposed();
        }
    }
}
