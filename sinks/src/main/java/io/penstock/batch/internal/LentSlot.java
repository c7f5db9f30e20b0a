package io.penstock.batch.internal;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.internal.Notice;
import io.penstock.order.Position;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A slot while a batch has it. It is given back when the batch is closed, or with a warning when the batch was dropped.
 *
 * <p>Tensors may outlive a batch that was dropped, and use its memory. So the slot then returns without its memory,
 * which the garbage collector frees with the last tensor.
 */
public final class LentSlot {

    private static final Logger LOG = LoggerFactory.getLogger(Batches.class);
    private static final Cleaner CLEANER = Cleaner.create();

    private final SlotRing ring;
    private final Slot slot;
    private final Place place;
    private final AtomicBoolean over = new AtomicBoolean();
    private @Nullable Batch batch;
    private Cleaner.@Nullable Cleanable watch;

    /** The masks of n rows, of any number of valid ones: windows over n ones before n zeros. */
    public static final class Masks {

        private final int rows;
        private final ByteBuffer bits;

        public Masks(int rows) {
            this.rows = rows;
            this.bits = ByteBuffer.allocateDirect(2 * rows);
            for (int i = 0; i < rows; i++) {
                bits.put(i, (byte) 1);
            }
        }

        /** {@code bool[rows]}, the first {@code valid} of them true. */
        Tensor of(int valid) {
            return Tensor.of(DType.BOOL, Shape.of(rows), bits.slice(rows - valid, rows));
        }
    }

    public record Place(long epoch, Position next, boolean endsEpoch) {}

    private LentSlot(SlotRing ring, Slot slot, Place place) {
        this.ring = ring;
        this.slot = slot;
        this.place = place;
    }

    /** The batch of the rows in a slot; with masks, padded to as many rows as they have. */
    public static LentSlot of(SlotRing ring, Slot slot, @Nullable Masks masks, Place place) {
        int valid = slot.rows();
        LentSlot lease = new LentSlot(ring, slot, place);
        lease.batch = new Batch(
                slot.stacked(masks == null ? valid : masks.rows),
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

    /** The batch. From here on only the caller keeps it alive. Called once. */
    public Batch deliver() {
        Batch delivered = batch;
        if (delivered == null) {
            throw new IllegalStateException("a batch is delivered once");
        }
        batch = null;
        watch = CLEANER.register(delivered, this::dropped);
        return delivered;
    }

    public Batch discard() {
        Batch discarded = batch;
        if (discarded == null) {
            throw new IllegalStateException("a delivered batch cannot be discarded");
        }
        batch = null;
        return discarded;
    }

    private void close() {
        if (over.compareAndSet(false, true)) {
            if (watch != null) {
                watch.clean(); // unregisters it; it has nothing to do any more
            }
            ring.give(slot);
        }
    }

    private void dropped() {
        if (over.compareAndSet(false, true)) {
            if (ring.firstLeak()) {
                Notice.warn(
                        LOG,
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
