package io.penstock.batch;

import io.penstock.batch.EpochEnds.Known;
import io.penstock.batch.internal.Slot;
import io.penstock.batch.internal.SlotRing;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch ends when its bucket has n samples; all end with the epoch.
 *
 * <p>To resume without a gap a batch must name the position before the oldest sample that waits elsewhere. That is
 * where the draw before it leads, which is known except for the first draw of a stream, whose predecessor was never
 * seen: there it is one stride back, and a stride is what lies between the first two draws. When a batch needs it,
 * there were at least three: two others filled a bucket while the first waited.
 */
final class BucketBatcher<T> implements Batcher<T> {

    private final int n;
    private final Schema<T> schema;
    private final Buckets<T> buckets;
    private final SlotRing ring;
    private final Output output;
    private final EpochEnds epochs;
    private final Bucket[] waiting;

    private @Nullable Draw first;
    private long stride;
    private long drawn;
    private int absent;

    private static final class Bucket {
        private @Nullable Slot slot;
        private long since;
        private @Nullable Draw before;
    }

    BucketBatcher(Collation<T> collation, Buckets<T> buckets, SlotRing ring, Output output) {
        this.n = collation.n();
        this.schema = collation.schema();
        this.buckets = buckets;
        this.ring = ring;
        this.output = output;
        this.epochs = new EpochEnds(collation, ring, output);
        this.waiting = new Bucket[buckets.count()];
        for (int i = 0; i < waiting.length; i++) {
            waiting[i] = new Bucket();
        }
    }

    @Override
    public boolean take(Sample<T> sample) {
        Draw draw = sample.draw();
        Draw before = epochs.latest();
        if (before != null && epochs.beginsEpoch(draw)) {
            endEpoch(before, EpochEnds.startAfter(before));
        }
        Bucket bucket = null;
        if (sample.isPresent()) {
            if (!epochs.drops()) {
                epochs.goesOn();
            }
            List<Tensor> row = schema.flatten(sample.value());
            bucket = waiting[buckets.of(sample.value(), row)];
            if (!put(bucket, draw, before, row)) {
                return false;
            }
        } else if (++absent == n) {
            absent = 0;
            output.dropped(n);
        }
        measureStride(draw);
        epochs.saw(draw);
        drawn++;
        if (bucket != null && bucket.slot != null && bucket.slot.rows() == n) {
            emit(bucket, draw, null, afterFull(bucket, draw));
        }
        if (draw.endsEpoch()) {
            endEpoch(draw, draw.next());
        }
        return true;
    }

    private boolean put(Bucket bucket, Draw draw, @Nullable Draw before, List<Tensor> row) {
        Slot filling = bucket.slot;
        if (filling == null) {
            filling = ring.take();
            if (filling == null) {
                return false;
            }
            bucket.slot = filling;
            bucket.since = drawn;
            bucket.before = before;
        }
        filling.add(draw.index(), row);
        return true;
    }

    private void measureStride(Draw draw) {
        Draw start = first;
        if (start == null) {
            first = draw;
        } else if (stride == 0 && start.epoch() == draw.epoch() && !draw.endsEpoch()) {
            stride = draw.next().offset() - start.next().offset();
        }
    }

    /** Whether batches follow that of a full bucket: those of the other buckets do, unless short ones are dropped. */
    private Known afterFull(Bucket full, Draw draw) {
        boolean othersWait = false;
        int missing = n;
        for (Bucket bucket : waiting) {
            if (bucket != full && bucket.slot != null) {
                othersWait = true;
                missing = Math.min(missing, n - bucket.slot.rows());
            }
        }
        if (epochs.drops()) {
            return draw.left() < missing ? Known.LAST : Known.NOT_YET;
        }
        return othersWait ? Known.NOT_LAST : draw.endsEpoch() ? Known.LAST : Known.NOT_YET;
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
        for (Bucket oldest = oldest(); oldest != null; oldest = oldest()) {
            Slot filling = oldest.slot;
            if (epochs.drops() && filling != null) {
                output.dropped(filling.rows());
                filling.clear();
                ring.putBack(filling);
                oldest.slot = null;
            } else {
                emit(oldest, draw, next, waitingBuckets() == 1 ? Known.LAST : Known.NOT_LAST);
            }
        }
        epochs.over(next);
    }

    /** At the end of an epoch, {@code end} is where to go on behind its last batch. */
    private void emit(Bucket bucket, Draw draw, @Nullable Position end, Known known) {
        Slot filled = bucket.slot;
        if (filled == null) {
            throw new IllegalStateException("a bucket that is emitted has rows");
        }
        bucket.slot = null;
        Bucket oldest = oldest();
        Position last = end == null ? draw.next() : end;
        Position next = oldest == null ? last : before(oldest, draw);
        int draws = filled.rows() + absent;
        absent = 0;
        epochs.cut(filled, draw, next, draws, known);
    }

    private int waitingBuckets() {
        int number = 0;
        for (Bucket bucket : waiting) {
            number += bucket.slot == null ? 0 : 1;
        }
        return number;
    }

    private @Nullable Bucket oldest() {
        Bucket oldest = null;
        for (Bucket bucket : waiting) {
            if (bucket.slot != null && (oldest == null || bucket.since < oldest.since)) {
                oldest = bucket;
            }
        }
        return oldest;
    }

    /** Where a run starts that draws a bucket's first sample first. */
    private Position before(Bucket bucket, Draw draw) {
        Draw before = bucket.before;
        if (before != null) {
            return before.next();
        }
        Draw start = first == null ? draw : first;
        // a stream that was filtered seems to have a longer stride, and starts again earlier than it need
        return new Position(start.epoch(), Math.max(0, start.next().offset() - stride));
    }
}
