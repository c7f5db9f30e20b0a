package io.penstock.batch;

import io.penstock.pipeline.Draw;
import io.penstock.pipeline.Remainder;
import io.penstock.pipeline.Sample;
import io.penstock.tensor.Schema;
import org.jspecify.annotations.Nullable;

/** A batch ends after n draws, and with its epoch. */
final class DrawCutter<T> implements Cutter<T> {

    private final int n;
    private final Schema<T> schema;
    private final Remainder remainder;
    private final Ring ring;
    private final Output output;
    private final @Nullable Masks masks;

    private @Nullable Slot slot;
    private @Nullable Draw last;
    private int draws;

    DrawCutter(Collation<T> collation, Ring ring, Output output) {
        this.n = collation.n();
        this.schema = collation.schema();
        this.remainder = collation.remainder();
        this.ring = ring;
        this.output = output;
        this.masks = remainder == Remainder.PAD ? new Masks(n) : null;
    }

    @Override
    public boolean take(Sample<T> sample) {
        Draw draw = sample.draw();
        Draw before = last;
        if (before != null && before.epoch() != draw.epoch()) {
            end(); // the epoch's last draw was filtered out on the way
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
            filling.add(draw.index(), schema.flatten(sample.value()));
        }
        last = draw;
        draws++;
        if (draws == n || draw.endsEpoch()) {
            cut(filling, draw);
        }
        return true;
    }

    @Override
    public void end() {
        Slot filling = slot;
        Draw draw = last;
        if (filling != null && draw != null) {
            cut(filling, draw);
        }
    }

    private void cut(Slot filling, Draw draw) {
        int drawn = draws;
        draws = 0;
        last = null;
        if (drawn < n && remainder == Remainder.DROP) {
            filling.clear();
            output.dropped(drawn);
            return;
        }
        slot = null;
        output.finished(Lease.of(ring, filling, masks, draw.epoch(), draw.next()), drawn);
    }
}
