package io.penstock.pipeline;

import reactor.core.scheduler.Scheduler;

/**
 * How a stream runs, which never changes what it delivers.
 *
 * @param inFlight    loads begun and not yet emitted, at most
 * @param workers     where stages run; its threads must not be blocked
 * @param parallelism how many of its threads one stream uses at once
 */
public record Execution(int inFlight, Scheduler workers, int parallelism) {

    public Execution {
        if (inFlight < 1) {
            throw new IllegalArgumentException("in-flight must be at least 1, was " + inFlight);
        }
        if (parallelism < 1) {
            throw new IllegalArgumentException("parallelism must be at least 1, was " + parallelism);
        }
    }

    /**
     * The process's pool for work on the processor, one daemon thread a processor, and sixteen loads in flight for each, at
     * least 32. All threads of that pool take their tasks from one queue, so that none is idle while a task waits, as those
     * of {@code Schedulers.parallel()} may be; disposing of it does nothing. {@code -Dreactor.schedulers.defaultPoolSize} sets another
     * number of threads.
     */
    public static Execution standard() {
        return new Execution(Math.max(32, 16 * WorkerPool.THREADS), WorkerPool.SHARED, WorkerPool.THREADS);
    }

    /** Another number of loads in flight: more for far sources. A {@link Prefetch} bounds their bytes besides. */
    public Execution inFlight(int samples) {
        return new Execution(samples, workers, parallelism);
    }

    /**
     * A pool of {@code threads} daemon threads as {@link #standard} has one, for {@link #workers(Scheduler, int)}; the caller's
     * to dispose.
     * @throws IllegalArgumentException if less than 1
     */
    public static Scheduler newWorkers(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("workers must be at least 1, was " + threads);
        }
        return WorkerPool.of(threads);
    }

    /** Stages on {@code threads} threads of another pool, which stays the caller's to dispose. */
    public Execution workers(Scheduler pool, int threads) {
        return new Execution(inFlight, pool, threads);
    }
}
