package io.penstock.batch;

import io.penstock.order.Position;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A slot while it is lent to a batch: given back when the batch is closed, or, with a warning, when it was
 * dropped without.
 *
 * <p>Tensors may outlive a batch that was dropped, and see its memory. So the slot then returns without it; the
 * collector frees the memory with the last tensor.
 */
final class LentSlot {

    private static final Logger LOG = LoggerFactory.getLogger(Batches.class);
    private static final Cleaner CLEANER = Cleaner.create();

    private final SlotRing ring;
    private final Slot slot;
    private final Place place;
    private final AtomicBoolean over = new AtomicBoolean();
    private @Nullable Batch batch;
    private Cleaner.@Nullable Cleanable watch;

    /** Where in the run a batch stands. */
    record Place(long epoch, Position next, boolean endsEpoch) {}

    private LentSlot(SlotRing ring, Slot slot, Place place) {
        this.ring = ring;
        this.slot = slot;
        this.place = place;
    }

    /** The batch of what was put into a slot; with masks, padded to as many rows as they have. */
    static LentSlot of(SlotRing ring, Slot slot, @Nullable Masks masks, Place place) {
        int valid = slot.rows();
        LentSlot lease = new LentSlot(ring, slot, place);
        lease.batch = new Batch(
                slot.stacked(masks == null ? valid : masks.rows()),
                valid,
                masks == null ? null : masks.of(valid),
                place.epoch(),
                place.next(),
                place.endsEpoch(),
                lease::close);
        slot.clear();
        ring.lend();
        return lease;
    }

    /** The batch, which from here on nobody but the caller keeps alive. Called once. */
    Batch deliver() {
        Batch delivered = batch;
        if (delivered == null) {
            throw new IllegalStateException("a batch is delivered once");
        }
        batch = null;
        watch = CLEANER.register(delivered, this::dropped);
        return delivered;
    }

    /** The batch, to be closed undelivered. */
    Batch discard() {
        Batch discarded = batch;
        if (discarded == null) {
            throw new IllegalStateException("a delivered batch is not ours to discard");
        }
        batch = null;
        return discarded;
    }

    private void close() {
        if (over.compareAndSet(false, true)) {
            if (watch != null) {
                watch.clean(); // takes the watch off; nothing is left for it to do
            }
            ring.give(slot);
        }
    }

    private void dropped() {
        if (over.compareAndSet(false, true)) {
            if (ring.firstLeak()) {
                LOG.warn(
                        "a batch of epoch {}, next {}, was dropped without being closed, and its memory with it; "
                                + "close every batch: try (batch) { … }",
                        place.epoch(),
                        place.next());
            }
            slot.forget();
            ring.give(slot);
        }
    }
}
