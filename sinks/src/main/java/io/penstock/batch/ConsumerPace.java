package io.penstock.batch;

import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Scheduler;

/**
 * Whether the consumer is slow, from how long it keeps the thread that batches are given to it on.
 *
 * <p>Waking a worker costs about 50 µs. A consumer that takes less than a few of those is served without; one that takes
 * longer is worth a worker that fills the next batches in the meantime. The thresholds lie apart so that noise does not
 * flip the decision back and forth. Written by the consumer's thread, read by any.
 */
final class ConsumerPace {

    private static final long SLOW_NANOS = 200_000;
    private static final long FAST_NANOS = 100_000;
    private static final int OUTLIER_TIMES = 8;

    private final Scheduler clock;
    private long meanNanos;
    private volatile boolean slow;
    private volatile long busySince; // 0 while the consumer has no batch in its hands

    /** @param clock whose time it measures, which a simulation sets */
    ConsumerPace(Scheduler clock) {
        this.clock = clock;
    }

    private long now() {
        return clock.now(TimeUnit.NANOSECONDS);
    }

    /** Whether it usually takes long. */
    boolean isSlow() {
        return slow;
    }

    /** Whether it usually takes long or has been taking long over this batch. */
    boolean isBusy() {
        long since = busySince;
        return slow || since != 0 && now() - since > SLOW_NANOS;
    }

    void begin() {
        busySince = now() | 1;
    }

    void end() {
        long nanos = now() - busySince;
        busySince = 0;
        // one collection, or the first batch's class loading, must not look like a slow consumer
        long believed = Math.min(nanos, Math.max(2 * SLOW_NANOS, OUTLIER_TIMES * meanNanos));
        meanNanos += (believed - meanNanos) / 4;
        if (slow ? meanNanos < FAST_NANOS : meanNanos > SLOW_NANOS) {
            slow = !slow;
        }
    }
}
