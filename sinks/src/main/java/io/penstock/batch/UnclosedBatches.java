package io.penstock.batch;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Scheduler;

/**
 * Notices a consumer that asks for batches while it holds all there are.
 *
 * <p>If it dropped them without closing, only the collector can tell, and a stream that stands still allocates nothing
 * that would wake it. So it is called here, once a stream, as the JDK does when direct memory has run out. Used on the
 * consumer's thread alone.
 */
final class UnclosedBatches {

    private static final Logger LOG = LoggerFactory.getLogger(Batches.class);
    private static final long PATIENCE_SECONDS = 10;

    private final SlotRing ring;
    private final int slots;
    private final Scheduler.Worker consumer;
    private final LongSupplier emitted;
    private boolean watching;
    private boolean told;

    /** @param slots how many batches can be held at most */
    UnclosedBatches(SlotRing ring, int slots, Scheduler.Worker consumer, LongSupplier emitted) {
        this.ring = ring;
        this.slots = slots;
        this.consumer = consumer;
        this.emitted = emitted;
    }

    /** The consumer waits, after so many batches. */
    void watch(long after) {
        if (watching || told || ring.lent() < slots) {
            return;
        }
        try {
            watching = true;
            consumer.schedule(() -> look(after), PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            told = true; // the pool knows no time, or is gone; the stream does without
        }
    }

    private void look(long after) {
        watching = false;
        if (emitted.getAsLong() == after && ring.lent() >= slots) {
            told = true;
            LOG.warn(
                    "waiting for {} s for one of {} batches to be closed, the next would be number {}; "
                            + "close every batch, or take more slots",
                    PATIENCE_SECONDS,
                    slots,
                    after);
            System.gc();
        } else if (ring.lent() >= slots) {
            watch(emitted.getAsLong());
        }
    }
}
