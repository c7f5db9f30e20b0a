package io.penstock.stream;

import io.penstock.internal.Arguments;
import reactor.core.scheduler.Scheduler;

/**
 * How a stream runs, which never changes what it delivers; {@code window} alone changes the order.
 *
 * @param inFlight    the max number of loads begun and not yet emitted; in {@code [1, 1,048,576]}
 * @param workers     where stages run; its threads must not be blocked
 * @param parallelism how many of its threads one stream uses at once; in {@code [1, 32,767]}
 * @param window      0 to deliver in order; else a stream of draws delivers a sample once it is loaded, if less than
 *     this number of draws before it is missing; at most 16,384
 * @param tuned       whether {@code inFlight} is where a stream of draws begins and it then sets itself another number,
 *     by what it measures: as many loads as the consumer's pace needs and the source answers, at most 2,048. All
 *     samples in flight then take at most the bytes of a {@link ReadAhead}, an eighth of the heap without one
 */
public record Execution(int inFlight, Scheduler workers, int parallelism, int window, boolean tuned) {

    /** A stream has a slot for each load in flight, 4 to 8 bytes; an epoch has no more. */
    private static final int MAX_IN_FLIGHT = 1 << 20;

    /** As many as the JDK's own pools take. */
    private static final int MAX_THREADS = (1 << 15) - 1;

    /** A position says of each draw in the window whether it was delivered. */
    private static final int MAX_WINDOW = 1 << 14;

    public Execution {
        check("in-flight", inFlight, MAX_IN_FLIGHT);
        check("parallelism", parallelism, MAX_THREADS);
        if (window != 0) {
            check("the window of an unordered stream", window, MAX_WINDOW);
        }
    }

    /** With a number of loads in flight that stays. */
    public Execution(int inFlight, Scheduler workers, int parallelism, int window) {
        this(inFlight, workers, parallelism, window, false);
    }

    private static void check(String what, int value, int max) {
        Arguments.refuse(value < 1 || value > max, "%s must be in [1, %d], was %d", what, max, value);
    }

    /**
     * The process's pool for work on the processor, with one daemon thread a processor, and loads in flight that tune
     * themselves, from sixteen a thread on, at least 32. The threads take their tasks from one queue: none is idle
     * while a task waits, as threads of {@code Schedulers.parallel()} may be. Disposing of the pool does nothing.
     * {@code -Dreactor.schedulers.defaultPoolSize} sets another number of threads.
     */
    public static Execution standard() {
        int inFlight = (int) Math.min(MAX_IN_FLIGHT, Math.max(32, 16L * WorkerPool.THREADS));
        return new Execution(inFlight, WorkerPool.SHARED, Math.min(MAX_THREADS, WorkerPool.THREADS), 0, true);
    }

    /** A number of loads in flight that stays. A {@link ReadAhead} bounds their bytes besides. */
    public Execution inFlight(int samples) {
        return new Execution(samples, workers, parallelism, window, false);
    }

    /**
     * Delivers samples as they are loaded: a slow one does not hold up those behind it, up to a distance of this number
     * of draws. {@link #inFlight} then bounds the loads that are not delivered. The stream waits for all draws of an
     * epoch before it delivers one of the next.
     *
     * <p>Positions are exact: a run that resumes at one repeats nothing and skips nothing. Within an epoch they are
     * those of one rank at one world size. Stages on a {@code Flux} keep its order.
     * @param draws in {@code [1, 16,384]}; 0 for in order
     */
    public Execution window(int draws) {
        return new Execution(inFlight, workers, parallelism, draws, tuned);
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
        return new Execution(inFlight, pool, threads, window, tuned);
    }
}
