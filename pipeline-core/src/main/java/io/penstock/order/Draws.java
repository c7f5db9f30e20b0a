package io.penstock.order;

import org.jspecify.annotations.Nullable;

/**
 * The draws that one rank makes over a whole run, addressed by number: at most 64 are kept. Thread-safe.
 */
public final class Draws {

    /** Beyond it, positions and counts of draws would not fit into 63 bits. */
    private static final long MAX_SIZE = 1L << 62;

    /** The most draws that one who asks in turn has made together. */
    private static final int BLOCK = 64;

    private final long seed;
    private final long size;
    private final long samples;
    private final int rank;
    private final boolean keepsTurns;
    private final int worldSize;
    private final Remainder remainder;
    private final Order order;
    private final Position start;
    private final long inFirstEpoch;
    private final long inLaterEpochs;
    private final long count;

    /** The epoch drawn from last; a thread that needs another epoch opens it again. */
    private volatile Epoch current;

    /** What was drawn last. Racy by intent: a block is the same whoever makes it. */
    private Block recent;

    /** Draws of one epoch from a number on. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Block(long first, Epoch epoch, long[] indices, long[] turns) {}

    /** One epoch's draws: those numbered from {@code first} on, at the order's positions from {@code from} on. */
    private record Epoch(long number, long first, long from, long steps, long turn, Order.Epoch order) {}

    Draws(Sampler sampler, Order order, long size) {
        this.start = sampler.start();
        if (size < 0 || size > MAX_SIZE) {
            throw new IllegalArgumentException("size must be in [0, %d], was %d".formatted(MAX_SIZE, size));
        }
        this.samples = sampler.samples(size);
        if (start.offset() > samples) {
            throw new IllegalArgumentException(
                    "position offset %d lies outside the dataset of %d samples; was it saved with other data?"
                            .formatted(start.offset(), samples));
        }
        this.seed = sampler.seed();
        this.size = size;
        this.keepsTurns = !sampler.mode().isGlobal();
        this.rank = sampler.shard().rank();
        this.worldSize = sampler.shard().worldSize();
        this.remainder = sampler.remainder();
        this.order = order;
        this.inFirstEpoch = inEpoch(samples - start.offset(), turn(start.offset()));
        this.inLaterEpochs = inEpoch(samples, rank);
        long later = sampler.epochs() - start.epoch() - 1;
        if (start.ahead().bitLength() > inFirstEpoch) {
            throw new IllegalArgumentException(
                    "position lies outside the epoch: %d draws are left of it, and number %d was delivered"
                            .formatted(inFirstEpoch, start.ahead().bitLength()));
        }
        this.count = later < 0 ? 0 : Math.min(sampler.first(), inFirstEpoch + saturatedProduct(later, inLaterEpochs));
        this.current = open(0);
        this.recent = new Block(0, current, new long[0], new long[0]);
    }

    /**
     * Which of the positions from an offset on is this rank's first. Ranks that keep parts go on taking those of one
     * residue, also where a run at another world size left off between them.
     */
    private long turn(long offset) {
        return keepsTurns ? Math.floorMod(rank - offset, worldSize) : rank;
    }

    private long inEpoch(long left, long turn) {
        return switch (remainder) {
            case DROP -> left / worldSize;
            case PAD -> (left + worldSize - 1) / worldSize;
            case KEEP -> (left - turn + worldSize - 1) / worldSize;
        };
    }

    private static long saturatedProduct(long a, long b) {
        return Math.multiplyHigh(a, b) != 0 || a * b < 0 || a * b > Long.MAX_VALUE / 2 ? Long.MAX_VALUE / 2 : a * b;
    }

    /** Where the first of them is. */
    public Position start() {
        return start;
    }

    /** How many draws there are in all, from the start position to the end of the last epoch. */
    public long count() {
        return count;
    }

    /** How many draws belong to one epoch, whether {@link Sampler#first} takes all of them or not. */
    public long count(long epoch) {
        return epoch < start.epoch() ? 0 : epoch == start.epoch() ? inFirstEpoch : inLaterEpochs;
    }

    /**
     * The draw of this number, counted from 0 at the start position.
     * @throws IndexOutOfBoundsException if it is not in {@code [0, count())}
     */
    public Draw at(long number) {
        Block block = recent;
        long place = number - block.first;
        int made = block.indices.length;
        if (place < 0 || place >= made) {
            block = block(number, place == made ? Math.min(BLOCK, 2 * made + 1) : 1); // more for one who asks in turn
            recent = block;
            place = 0;
        }
        return draw(block, (int) place);
    }

    /**
     * Fills an array with the draws from a number on, as {@link #at(long)} has them, in less time than one by one.
     * @throws IndexOutOfBoundsException as that one
     */
    public void at(long first, Draw[] draws) {
        for (int made = 0; made < draws.length; ) {
            Block block = block(first + made, draws.length - made);
            for (int place = 0; place < block.indices.length; place++) {
                draws[made++] = draw(block, place);
            }
        }
    }

    private Draw draw(Block block, int place) {
        Epoch epoch = block.epoch;
        long done = block.first + place + 1 - epoch.first;
        Position next = next(epoch, done);
        return new Draw(seed, epoch.number, block.indices[place], block.turns[place], next, epoch.steps - done);
    }

    private Block block(long number, int wanted) {
        Epoch epoch = epoch(number);
        long step = number - epoch.first;
        long position = epoch.from + step * worldSize + epoch.turn;
        if (position >= samples) {
            return new Block(number, epoch, new long[] {Draw.PADDING}, new long[1]);
        }
        long left = Math.min(epoch.steps - step, (samples - position + worldSize - 1) / worldSize);
        long[] indices = new long[(int) Math.min(wanted, Math.min(left, count - number))];
        long[] turns = new long[indices.length];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = position + (long) i * worldSize;
        }
        epoch.order.indices(indices, turns);
        return new Block(number, epoch, indices, turns);
    }

    /**
     * The windows that follow those that are open at a draw.
     *
     * @param number  of the first draw that is of them
     * @param indices the first and the last of each; none if nothing follows
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Ahead(long number, long[] indices) {}

    /**
     * What follows the windows that are open at a draw; null in an order without windows.
     * @throws IndexOutOfBoundsException as {@link #at(long)}
     */
    public @Nullable Ahead ahead(long number) {
        Epoch epoch = epoch(number);
        long first = epoch.from + epoch.turn;
        long position = first + (number - epoch.first) * worldSize;
        long end = epoch.order.endOfWindows(Math.min(position, samples - 1));
        if (end < 0) {
            return null;
        }
        long step = end >= samples ? epoch.steps : (end - first + worldSize - 1) / worldSize;
        long next = epoch.first + step;
        if (next >= count) {
            return new Ahead(count, new long[0]);
        }
        Epoch following = step < epoch.steps ? epoch : open(next);
        long start = following.from + following.turn + (next - following.first) * worldSize;
        return new Ahead(next, following.order.windows(Math.min(start, samples - 1)));
    }

    private Epoch epoch(long number) {
        if (number < 0 || number >= count) {
            throw new IndexOutOfBoundsException("draw must be in [0, " + count + "), was " + number);
        }
        Epoch epoch = current;
        long step = number - epoch.first;
        if (step < 0 || step >= epoch.steps) {
            epoch = open(number);
            current = epoch;
        }
        return epoch;
    }

    /**
     * Where a run goes on that has made the draws before this number, and no other.
     * @throws IndexOutOfBoundsException if it is not in {@code [0, count()]}
     */
    public Position position(long number) {
        if (number == 0) {
            return start;
        }
        Epoch epoch = epoch(number - 1);
        return next(epoch, number - epoch.first);
    }

    private Epoch open(long number) {
        if (number < inFirstEpoch || inLaterEpochs == 0) {
            long from = start.offset();
            return new Epoch(start.epoch(), 0, from, inFirstEpoch, turn(from), order.epoch(seed, start.epoch(), size));
        }
        long later = (number - inFirstEpoch) / inLaterEpochs;
        long epoch = start.epoch() + 1 + later;
        return new Epoch(
                epoch, inFirstEpoch + later * inLaterEpochs, 0, inLaterEpochs, rank, order.epoch(seed, epoch, size));
    }

    /** Where the ranks are after this number of steps. An epoch is over when all ranks have drawn what they draw of it. */
    private Position next(Epoch epoch, long steps) {
        long offset = epoch.from + steps * worldSize;
        boolean over = remainder == Remainder.KEEP ? offset >= samples : steps == epoch.steps;
        return over ? new Position(epoch.number + 1, 0) : new Position(epoch.number, offset);
    }
}
