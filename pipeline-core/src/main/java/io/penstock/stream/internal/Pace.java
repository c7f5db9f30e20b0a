package io.penstock.stream.internal;

import io.penstock.stream.Execution;

/**
 * Decides where a stream's samples are begun, from what beginning one costs on the thread that does it.
 *
 * <p>A RAM hit takes a fraction of a microsecond, a hop to another thread one, and waking an idle thread fifty. So cheap
 * samples are begun on the thread that drains the stream, and dear ones by the workers, in blocks that are long enough to
 * forget the hop and short enough to keep every worker busy. The two thresholds lie apart, so that noise does not flip
 * the decision back and forth. Nothing delivered depends on it. Racy by intent: a lost measurement is only a
 * measurement.
 */
final class Pace {

    private static final long DEAR_NANOS = 20_000;
    private static final long CHEAP_NANOS = 5_000;
    private static final int OUTLIER_TIMES = 8;
    private static final long BLOCK_NANOS = 100_000;
    private static final int GROUP = 16;

    private final int longestBlock;
    private volatile long meanNanos;
    private volatile boolean onWorkers;

    Pace(Execution execution) {
        this.longestBlock = Math.max(1, execution.inFlight() / (2 * execution.parallelism()));
    }

    /** Whether workers begin the samples, rather than the draining thread. */
    boolean onWorkers() {
        return onWorkers;
    }

    /** How many samples the draining thread begins at a time: several once they are known to be cheap. */
    int group() {
        return meanNanos > 0 && meanNanos < CHEAP_NANOS ? GROUP : 1;
    }

    /** How many samples a worker takes at a time. */
    int block() {
        long fit = BLOCK_NANOS / (meanNanos + 1);
        return (int) Math.max(1, Math.min(longestBlock, fit));
    }

    /** Learns from samples that one thread began in a row. */
    void took(long nanos, int samples) {
        long before = meanNanos;
        // one collection or one compilation in the middle of a cheap sample must not look like a dear stage
        long believed = Math.max(2 * DEAR_NANOS, OUTLIER_TIMES * before);
        long each = Math.min(believed, nanos / samples);
        long mean = Math.max(1, before + (each - before) / 4);
        meanNanos = mean;
        if (onWorkers ? mean < CHEAP_NANOS : mean > DEAR_NANOS) {
            onWorkers = !onWorkers;
        }
    }
}
