package io.penstock.batch;

import io.penstock.batch.EpochEnds.Known;
import io.penstock.batch.internal.Slot;
import io.penstock.batch.internal.SlotRing;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Sample;
import org.jspecify.annotations.Nullable;

/** A batch ends after n draws, and with its epoch. */
final class DrawBatcher<T> implements Batcher<T> {

    private final int n;
    private final Rows<T> rows;
    private final SlotRing ring;
    private final Output output;
    private final EpochEnds epochs;

    private @Nullable Slot slot;
    private int draws;

    DrawBatcher(Collation<T> collation, SlotRing ring, Output output) {
        this.n = collation.n();
        this.rows = collation.rows();
        this.ring = ring;
        this.output = output;
        this.epochs = new EpochEnds(collation, ring, output);
    }

    @Override
    public boolean take(Sample<T> sample) {
        Draw draw = sample.draw();
        Draw before = epochs.latest();
        if (before != null && epochs.beginsEpoch(draw)) {
            endEpoch(before, EpochEnds.startAfter(before));
        } else if (!epochs.drops()) {
            epochs.goesOn();
        }
        Slot filling = slot;
        if (filling == null) {
            filling = ring.take();
            if (filling == null) {
                return false;
            }
            slot = filling;
        }
        if (sample.isPresent()) {
            rows.add(filling, draw.index(), sample.value());
        }
        epochs.saw(draw);
        draws++;
        if (draw.endsEpoch()) {
            endEpoch(draw, draw.next());
        } else if (draws == n) {
            cut(filling, draw, draw.next(), epochs.afterFull(draw));
        }
        return true;
    }

    @Override
    public void end() {
        Draw draw = epochs.latest();
        if (draw != null) {
            endEpoch(draw, null);
        }
    }

    @Override
    public void fail() {
        epochs.goesOn();
    }

    /** No draw follows in the epoch of this one, which was its last that came; where to go on, if not behind that. */
    private void endEpoch(Draw draw, @Nullable Position next) {
        Slot filling = slot;
        if (filling != null && draws > 0) {
            if (draws < n && epochs.drops()) {
                filling.clear();
                output.dropped(draws);
                draws = 0;
            } else {
                cut(filling, draw, next == null ? draw.next() : next, Known.LAST);
            }
        }
        epochs.over(next);
    }

    private void cut(Slot filling, Draw draw, Position next, Known last) {
        int drawn = draws;
        draws = 0;
        slot = null;
        epochs.cut(filling, draw, next, drawn, last);
    }
}
