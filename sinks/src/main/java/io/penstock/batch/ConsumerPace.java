package io.penstock.batch;

import io.penstock.internal.MovingMean;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Scheduler;

/**
 * Whether the consumer is slow: how long it keeps the thread that delivers batches to it.
 *
 * <p>Waking a worker costs about 50 µs. A consumer that takes longer than a few of those is worth a worker that fills
 * the next batches in the meantime. Written by the consumer's thread, read by any.
 */
final class ConsumerPace {

    private static final long SLOW_NANOS = 200_000;
    private static final long FAST_NANOS = 100_000;

    private final MovingMean nanos = new MovingMean(FAST_NANOS, SLOW_NANOS);
    private final Scheduler clock;
    private volatile long busySince; // 0 while the consumer has no batch

    /** @param clock the scheduler whose time is measured, which a simulation sets */
    ConsumerPace(Scheduler clock) {
        this.clock = clock;
    }

    private long now() {
        return clock.now(TimeUnit.NANOSECONDS);
    }

    /** Whether the consumer usually takes long. */
    boolean isSlow() {
        return nanos.isHigh();
    }

    /** Whether the consumer usually takes long, or has taken long over its present batch. */
    boolean isBusy() {
        long since = busySince;
        return isSlow() || since != 0 && now() - since > SLOW_NANOS;
    }

    void begin() {
        busySince = now() | 1;
    }

    void end() {
        nanos.record(now() - busySince);
        busySince = 0;
    }
}
