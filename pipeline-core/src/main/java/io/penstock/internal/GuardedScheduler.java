package io.penstock.internal;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A scheduler whose tasks end their stream where they throw. Reactor's own only log what an operator rethrows on their
 * threads, and its subscriber waits for ever.
 *
 * <p>Disposing of one over another's threads does nothing.
 */
public final class GuardedScheduler implements Scheduler {

    /** {@code Schedulers.boundedElastic()}. */
    public static final Scheduler ELASTIC = new GuardedScheduler(Schedulers::boundedElastic);

    /** {@code Schedulers.parallel()}. */
    public static final Scheduler PARALLEL = new GuardedScheduler(Schedulers::parallel);

    private static final int IDLE_SECONDS = 60;

    private final Supplier<Scheduler> threads;
    private final boolean own;

    private GuardedScheduler(Supplier<Scheduler> threads, boolean own) {
        this.threads = threads;
        this.own = own;
    }

    /** @param threads another's; asked each time, as Reactor's may be replaced */
    public GuardedScheduler(Supplier<Scheduler> threads) {
        this(threads, false);
    }

    /** Threads that may block, which are made when they are needed, and end when they are idle for a minute. */
    public static Scheduler ofThreads(int max, String name) {
        Scheduler elastic = Schedulers.newBoundedElastic(max, Integer.MAX_VALUE, name, IDLE_SECONDS, true);
        return new GuardedScheduler(() -> elastic, true);
    }

    /** One daemon thread that may block. */
    public static Scheduler ofThread(String name) {
        Scheduler single = Schedulers.newSingle(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        return new GuardedScheduler(() -> single, true);
    }

    /** Threads of an executor, which ends when this is disposed of. */
    public static Scheduler of(ExecutorService executor, String name) {
        Scheduler threads = Schedulers.fromExecutorService(executor, name);
        return new GuardedScheduler(() -> threads, true);
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
    public void dispose() {
        if (own) {
            threads.get().dispose();
        }
    }

    @Override
    public Mono<Void> disposeGracefully() {
        return own ? threads.get().disposeGracefully() : Mono.empty();
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
