package io.penstock.stream.internal;

import io.penstock.internal.MovingMean;
import io.penstock.stream.Execution;

/**
 * Decides which thread begins a stream's samples, from the time that beginning one takes.
 *
 * <p>A RAM hit takes a fraction of a microsecond, a hop to another thread takes one, and waking an idle thread takes
 * fifty. So the draining thread begins cheap samples itself. Workers begin expensive ones, in blocks that are long
 * enough to outweigh the hop and short enough to keep every worker busy. Nothing that is delivered depends on it.
 */
final class Pace {

    private static final long EXPENSIVE_NANOS = 20_000;
    private static final long CHEAP_NANOS = 5_000;
    private static final long BLOCK_NANOS = 100_000;
    private static final int GROUP = 64; // a mixture of 4 still asks 4 caches for 16 samples each

    private final MovingMean nanos = new MovingMean(CHEAP_NANOS, EXPENSIVE_NANOS);
    private final int groupSize;
    private final int maxBlock;

    /** @param groupSize how many samples the source loads together */
    Pace(Execution execution, int groupSize) {
        this.groupSize = groupSize;
        this.maxBlock = Math.max(1, execution.inFlight() / (2 * execution.parallelism()));
    }

    /** Whether workers begin the samples, rather than the draining thread. */
    boolean onWorkers() {
        return nanos.isHigh();
    }

    /** How many samples the draining thread begins at a time: several once they are known to be cheap. */
    int group() {
        long mean = nanos.value();
        return Math.max(groupSize, mean > 0 && mean < CHEAP_NANOS ? GROUP : 1);
    }

    /** How many samples a worker takes at a time. */
    int block() {
        long fit = BLOCK_NANOS / (nanos.value() + 1);
        return (int) Math.max(groupSize, Math.min(maxBlock, fit));
    }

    /**
     * Whether to begin samples: where the source loads groups, once a whole one fits, or as many as are ahead.
     * @param free how many may be begun
     * @param ahead how many are begun and not delivered
     * @param left how many there are
     */
    boolean isRoom(long free, long ahead, long left) {
        return free > 0 && free >= Math.min(groupSize, Math.min(ahead, left));
    }

    /** Learns from samples that one thread began in a row. */
    void took(long nanosOfAll, int samples) {
        nanos.record(nanosOfAll / samples);
    }
}
