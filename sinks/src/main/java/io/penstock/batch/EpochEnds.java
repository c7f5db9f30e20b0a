package io.penstock.batch;

import io.penstock.batch.internal.LentSlot;
import io.penstock.batch.internal.Slot;
import io.penstock.batch.internal.SlotRing;
import io.penstock.internal.Notice;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Scannable;

/**
 * Tells which batch is the last of its epoch, for {@link io.penstock.pipeline.Batch#endsEpoch}.
 *
 * <p>A draw says how many of its rank's follow in the epoch. That decides it, unless a {@code filter} before the
 * batches leaves samples out: whether one more batch comes is then known when the next sample comes, or, where short
 * batches are dropped, the next full batch. Until then the batch is held back. A filter shows by a gap between two
 * draws; before it has shown, the last two batches of an epoch are held back, unless the batches follow the stream
 * without an operator in between.
 *
 * <p>Used by one thread at a time, as the batchers are.
 */
final class EpochEnds {

    enum Known {
        LAST,
        NOT_LAST,
        NOT_YET
    }

    private static final Logger LOG = LoggerFactory.getLogger(Batches.class);

    private final Collation<?> collation;
    private final SlotRing ring;
    private final Batcher.Output output;
    private final LentSlot.@Nullable Masks masks;
    private final int ahead;

    private @Nullable Draw latest;
    private boolean filtered;
    private boolean hasBatch; // as no more is asked of the first two draws then
    private @Nullable Draw first;
    private @Nullable Draw second;
    private long drawn;
    private @Nullable Slot held;
    private @Nullable Draw heldAt;
    private @Nullable Position heldNext;

    EpochEnds(Collation<?> collation, SlotRing ring, Batcher.Output output) {
        this.collation = collation;
        this.ring = ring;
        this.output = output;
        this.masks = collation.remainder() == Remainder.PAD ? new LentSlot.Masks(collation.n()) : null;
        // what may be drawn while a batch is held back: the next sample, or the next full batch
        this.ahead = drops() ? collation.n() : 1;
    }

    /** Whether a subscription is that of a source: no operator behind it may leave samples out. */
    static boolean isSource(Subscription upstream) {
        Scannable source = Scannable.from(upstream);
        return source.isScanAvailable() && source.parents().findFirst().isEmpty();
    }

    boolean drops() {
        return collation.remainder() == Remainder.DROP;
    }

    /** The draw that was seen last; null before any. */
    @Nullable Draw latest() {
        return latest;
    }

    /**
     * Whether this draw is of another epoch than the one before: the rest of that epoch was filtered out on the way.
     */
    boolean beginsEpoch(Draw draw) {
        Draw before = latest;
        return before != null && before.epoch() != draw.epoch();
    }

    /** The next draw, which has been taken. */
    void saw(Draw draw) {
        Draw before = latest;
        if (before != null && !before.endsEpoch() && before.left() != Draw.UNKNOWN) {
            filtered |= beginsEpoch(draw) || before.left() - draw.left() > 1;
        }
        latest = draw;
        if (!hasBatch && drops()) {
            drawn++;
            if (first == null) {
                first = draw;
            } else if (second == null && first.epoch() == draw.epoch()) {
                second = draw;
            }
        }
    }

    /** Whether batches follow a full one, as far as the number of draws tells. */
    Known afterFull(Draw draw) {
        if (draw.left() < (drops() ? collation.n() : 1)) {
            return Known.LAST;
        }
        boolean tail = draw.left() <= 2L * collation.n() && !output.isDirect();
        return filtered || tail ? Known.NOT_YET : Known.NOT_LAST;
    }

    /** A batch is complete: of a slot's rows, at this draw, made of {@code draws} draws. */
    void cut(Slot slot, Draw draw, Position next, int draws, Known last) {
        hasBatch = true;
        goesOn();
        if (last != Known.NOT_YET) {
            output.completed(draws, 0);
            output.ready(lease(slot, draw, next, last == Known.LAST), 0);
            return;
        }
        held = slot;
        heldAt = draw;
        heldNext = next;
        if (drops()) {
            ring.grow();
        }
        output.completed(draws, ahead);
    }

    /** Another batch of the same epoch is going to follow the one that is held back. */
    void goesOn() {
        release(heldNext, false);
    }

    /** No batch of this epoch follows; a run that has consumed it goes on at {@code next}, if that is known. */
    void over(@Nullable Position next) {
        release(next == null ? heldNext : next, true);
        if (!hasBatch && latest != null && drawn > 0) {
            withoutBatch(next == null);
        }
        drawn = 0;
    }

    /**
     * Nothing is not a success: an epoch that was drawn from its start has no batch, and so have all others. What is left
     * of an epoch where a run resumes may be less than a batch.
     */
    private void withoutBatch(boolean completed) {
        String told = "no batch: %d draws came, and batches of fewer than %d are dropped; "
                + "take a smaller batch, or keep or pad the remainder";
        if (drawsWholeEpoch() && (completed || !filtered)) { // a filter may leave more in the next epoch
            throw new IllegalStateException(told.formatted(drawn, collation.n()));
        } else if (completed) {
            Notice.warn(LOG, told.formatted(drawn, collation.n()));
        }
    }

    private boolean drawsWholeEpoch() {
        Draw one = first;
        Draw two = second;
        if (one == null || latest == null) {
            return false;
        }
        if (one.epoch() < latest.epoch()) {
            return true;
        }
        if (two == null || two.endsEpoch()) {
            return false; // nothing tells how many ranks there are, so nor where the first draw was
        }
        long draws = one.left() == Draw.UNKNOWN ? 1 : Math.max(1, one.left() - two.left());
        return one.next().offset() <= (two.next().offset() - one.next().offset()) / draws;
    }

    private void release(@Nullable Position next, boolean last) {
        Slot slot = held;
        Draw draw = heldAt;
        if (slot != null && draw != null && next != null) {
            held = null;
            output.ready(lease(slot, draw, next, last), ahead);
        }
    }

    private LentSlot lease(Slot slot, Draw draw, Position next, boolean last) {
        // what is dropped at the end of an epoch is not drawn again
        boolean whole = last && drops() && draw.left() < collation.n();
        Position resume = whole ? startAfter(draw) : next;
        return LentSlot.of(ring, slot, masks, new LentSlot.Place(draw.epoch(), resume, last));
    }

    static Position startAfter(Draw draw) {
        return new Position(draw.epoch() + 1, 0);
    }
}
