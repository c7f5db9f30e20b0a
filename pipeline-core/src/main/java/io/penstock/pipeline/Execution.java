package io.penstock.pipeline;

import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

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

    /** Reactor's own pool, one thread a processor, and sixteen loads in flight for each, at least 32. */
    public static Execution standard() {
        int processors = Schedulers.DEFAULT_POOL_SIZE;
        return new Execution(Math.max(32, 16 * processors), Schedulers.parallel(), processors);
    }

    /** Another number of loads in flight: more for far sources. A {@link Prefetch} bounds their bytes besides. */
    public Execution inFlight(int samples) {
        return new Execution(samples, workers, parallelism);
    }

    /** Stages on {@code threads} threads of another pool, which stays the caller's to dispose. */
    public Execution workers(Scheduler pool, int threads) {
        return new Execution(inFlight, pool, threads);
    }
}
