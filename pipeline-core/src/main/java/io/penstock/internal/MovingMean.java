package io.penstock.internal;

/**
 * A moving mean of measurements, and whether it is high.
 *
 * <p>Two thresholds decide that: the mean becomes high above the upper one, and is no longer high below the lower one.
 * So noise does not flip the answer. One measurement counts as at most eight times the mean, or twice the upper
 * threshold: a garbage collection or a compilation must not look like slow work.
 *
 * <p>Any thread may call any method. Of two measurements recorded at the same time, one may be lost.
 */
public final class MovingMean {

    private static final int OUTLIER_TIMES = 8;
    private static final int WEIGHT = 4;

    private final long low;
    private final long high;
    private volatile long mean;
    private volatile boolean isHigh;

    public MovingMean(long low, long high) {
        this.low = low;
        this.high = high;
    }

    /** Moves the mean by a quarter of the way to a measurement. */
    public void record(long measured) {
        long before = mean;
        long believed = Math.min(measured, Math.max(2 * high, OUTLIER_TIMES * before));
        long after = Math.max(1, before + (believed - before) / WEIGHT);
        mean = after;
        if (isHigh ? after < low : after > high) {
            isHigh = !isHigh;
        }
    }

    /** The mean, at least 1; 0 before the first measurement. */
    public long value() {
        return mean;
    }

    /** Whether the mean is high; false before the first measurement. */
    public boolean isHigh() {
        return isHigh;
    }
}
