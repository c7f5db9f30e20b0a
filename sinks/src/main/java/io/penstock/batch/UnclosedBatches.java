package io.penstock.batch;

import io.penstock.batch.internal.SlotRing;
import io.penstock.internal.Notice;
import io.penstock.internal.Reclaim;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Scheduler;

/**
 * Warns of a consumer that asks for batches while it holds all there are.
 *
 * <p>If the consumer dropped them without closing, only a garbage collection finds out. A stream that waits allocates
 * nothing that would cause one. So this class asks for one, once for each stream, as the JDK does when direct memory has
 * run out. Used by the consumer's thread only.
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

    /** @param slots the max number of batches that can be held */
    UnclosedBatches(SlotRing ring, int slots, Scheduler.Worker consumer, LongSupplier emitted) {
        this.ring = ring;
        this.slots = slots;
        this.consumer = consumer;
        this.emitted = emitted;
    }

    /** The consumer waits after this many batches. */
    void watch(long after) {
        if (watching || told || ring.lent() < slots) {
            return;
        }
        try {
            watching = true;
            consumer.schedule(() -> look(after), PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            told = true; // the pool cannot delay tasks, or was disposed of; the stream works without
        }
    }

    private void look(long after) {
        watching = false;
        if (emitted.getAsLong() == after && ring.lent() >= slots) {
            told = true;
            Notice.warn(
                    LOG,
                    "waiting for {} s for one of {} batches to be closed, the next would be number {}; "
                            + "close every batch, use a BatchLoop where a loop is left early, or take more slots",
                    PATIENCE_SECONDS,
                    slots,
                    after);
            Reclaim.now();
        } else if (ring.lent() >= slots) {
            watch(emitted.getAsLong());
        }
    }
}
