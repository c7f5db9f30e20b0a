package io.penstock.stream;

import reactor.core.scheduler.Scheduler;

/**
 * How a stream runs, which never changes what it delivers.
 *
 * @param inFlight    the max number of loads begun and not yet emitted; in {@code [1, 1,048,576]}
 * @param workers     where stages run; its threads must not be blocked
 * @param parallelism how many of its threads one stream uses at once; in {@code [1, 32,767]}
 */
public record Execution(int inFlight, Scheduler workers, int parallelism) {

    /** A stream has a slot for each load in flight, 4 to 8 bytes; an epoch has no more. */
    private static final int MAX_IN_FLIGHT = 1 << 20;

    /** As many as the JDK's own pools take. */
    private static final int MAX_THREADS = (1 << 15) - 1;

    public Execution {
        check("in-flight", inFlight, MAX_IN_FLIGHT);
        check("parallelism", parallelism, MAX_THREADS);
    }

    private static void check(String what, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException("%s must be in [1, %d], was %d".formatted(what, max, value));
        }
    }

    /**
     * The process's pool for work on the processor, with one daemon thread a processor, and sixteen loads in flight for
     * each thread, at least 32. The threads take their tasks from one queue: none is idle while a task waits, as
     * threads of {@code Schedulers.parallel()} may be. Disposing of the pool does nothing.
     * {@code -Dreactor.schedulers.defaultPoolSize} sets another number of threads.
     */
    public static Execution standard() {
        int inFlight = (int) Math.min(MAX_IN_FLIGHT, Math.max(32, 16L * WorkerPool.THREADS));
        return new Execution(inFlight, WorkerPool.SHARED, Math.min(MAX_THREADS, WorkerPool.THREADS));
    }

    /** Another number of loads in flight: more for far sources. A {@link ReadAhead} bounds their bytes besides. */
    public Execution inFlight(int samples) {
        return new Execution(samples, workers, parallelism);
    }

    /**
     * A pool of {@code threads} daemon threads as {@link #standard} has one, for {@link #workers(Scheduler, int)}; the
     * caller's to dispose.
     * @throws IllegalArgumentException if not in {@code [1, 32,767]}
     */
    public static Scheduler newWorkers(int threads) {
        check("workers", threads, MAX_THREADS);
        return WorkerPool.of(threads);
    }

    /** Stages on {@code threads} threads of another pool, which stays the caller's to dispose. */
    public Execution workers(Scheduler pool, int threads) {
        return new Execution(inFlight, pool, threads);
    }
}
