package io.penstock.pipeline;

/**
 * The draws that one rank makes over a whole run, addressed by number: nothing is stored a draw. Thread-safe.
 */
public final class Draws {

    private final long seed;
    private final long size;
    private final int rank;
    private final int worldSize;
    private final Remainder remainder;
    private final Order order;
    private final Position start;
    private final long inFirstEpoch;
    private final long inLaterEpochs;
    private final long count;

    /** The order of the epoch drawn from last; recomputed by whoever finds another one here. */
    private volatile Current current;

    private record Current(long epoch, Order.Epoch order) {}

    Draws(Sampler sampler, Order order, long size) {
        this.start = sampler.start();
        if (size < 0) {
            throw new IllegalArgumentException("size must not be negative: " + size);
        }
        if (start.offset() > size) {
            throw new IllegalArgumentException(
                    "position offset %d lies outside the dataset of %d samples; was it saved with other data?"
                            .formatted(start.offset(), size));
        }
        this.seed = sampler.seed();
        this.size = size;
        this.rank = sampler.shard().rank();
        this.worldSize = sampler.shard().worldSize();
        this.remainder = sampler.remainder();
        this.order = order;
        this.inFirstEpoch = inEpoch(size - start.offset());
        this.inLaterEpochs = inEpoch(size);
        long later = sampler.epochs() - start.epoch() - 1;
        this.count = later < 0 ? 0 : inFirstEpoch + saturatedProduct(later, inLaterEpochs);
        this.current = new Current(start.epoch(), order.epoch(seed, start.epoch(), size));
    }

    private long inEpoch(long samples) {
        return switch (remainder) {
            case DROP -> samples / worldSize;
            case PAD -> (samples + worldSize - 1) / worldSize;
            case KEEP -> (samples - rank + worldSize - 1) / worldSize;
        };
    }

    private static long saturatedProduct(long a, long b) {
        return Math.multiplyHigh(a, b) != 0 || a * b < 0 || a * b > Long.MAX_VALUE / 2 ? Long.MAX_VALUE / 2 : a * b;
    }

    /** How many draws there are in all, from the start position to the end of the last epoch. */
    public long count() {
        return count;
    }

    /** How many of them belong to one epoch. */
    public long count(long epoch) {
        return epoch < start.epoch() ? 0 : epoch == start.epoch() ? inFirstEpoch : inLaterEpochs;
    }

    /**
     * The draw of this number, counted from 0 at the start position.
     * @throws IndexOutOfBoundsException if it is not in {@code [0, count())}
     */
    public Draw at(long number) {
        if (number < 0 || number >= count) {
            throw new IndexOutOfBoundsException("draw must be in [0, " + count + "), was " + number);
        }
        if (number < inFirstEpoch) {
            return draw(start.epoch(), start.offset(), number, inFirstEpoch);
        }
        long later = number - inFirstEpoch;
        return draw(start.epoch() + 1 + later / inLaterEpochs, 0, later % inLaterEpochs, inLaterEpochs);
    }

    private Draw draw(long epoch, long from, long step, long steps) {
        long position = from + step * worldSize + rank;
        long index = position < size ? order(epoch).index(position) : Draw.PADDING;
        Position next =
                step + 1 == steps ? new Position(epoch + 1, 0) : new Position(epoch, from + (step + 1) * worldSize);
        return new Draw(seed, epoch, index, next);
    }

    private Order.Epoch order(long epoch) {
        Current seen = current;
        if (seen.epoch != epoch) {
            seen = new Current(epoch, order.epoch(seed, epoch, size));
            current = seen;
        }
        return seen.order;
    }
}
