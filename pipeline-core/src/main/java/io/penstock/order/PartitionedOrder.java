package io.penstock.order;

import io.penstock.order.internal.Mixing;
import java.util.function.LongFunction;

/**
 * The interleaved orders of partitions: position k is the (k div P)-th of partition k mod P. See {@link ShardMode}.
 *
 * <p>A base order, fixed for a number of epochs, selects the samples and deals them to the partitions. In every epoch
 * each partition is permuted within itself. Only the partition drawn from last is kept, since a rank usually has one.
 *
 * <p>Of every P neighbouring samples each partition gets one; the partition that gets the first is drawn again for every
 * P. So samples that lie together, such as a class, are spread evenly. Samples at intervals, such as every other
 * camera, are spread at random. This costs one hash; a permutation of all samples would double the cost of a draw.
 *
 * @param order      the kind of order within a partition
 * @param partitions the parts, of equal sizes or one sample more: the first ones have it
 * @param epochs     for which a base order holds
 * @param limit      the max number of samples of the base order that an epoch draws
 * @param turn       the number of draws that a partition has in a row
 */
record PartitionedOrder(Order order, int partitions, long epochs, long limit, int turn) implements Order {

    /** Sets base orders apart from those of epochs; changing it changes every saved position's meaning. */
    private static final long BASE = 0x5041_5254L;

    @Override
    public Epoch epoch(long seed, long epoch, long size) {
        Epoch alternating = alternating(seed, epoch, size);
        long round = (long) turn * partitions;
        if (turn == 1 || order instanceof Sequential) {
            return alternating;
        }
        long inRounds = Math.min(limit, size) / round * round;
        return position -> {
            long within = position % round;
            return alternating.index(
                    position >= inRounds ? position : position - within + within % turn * partitions + within / turn);
        };
    }

    /** The order where each partition has one draw at a time. */
    private Epoch alternating(long seed, long epoch, long size) {
        long samples = Math.min(limit, size);
        long baseKey = Mixing.fold(Mixing.fold(Mixing.fold(0, seed), BASE), epoch / epochs);
        long key = Order.key(seed, epoch);
        long each = samples / partitions;
        long larger = samples % partitions;
        if (order instanceof Windowed windowed) {
            return windowed(windowed, new Sizes(each, larger), baseKey, key, size);
        }
        if (order instanceof Shuffled) {
            Sizes sizes = new Sizes(each, larger);
            Permutation picked = new Permutation(size, baseKey);
            Dealer dealer = samples < size
                    ? (place, row) -> picked.index(row * partitions + place)
                    : new Rotation(partitions, each, baseKey);
            return new Dealt(partitions, sizes, key, dealer);
        }
        return order.epoch(seed, epoch, size); // ranks that take turns keep their parts of it as it is
    }

    private record Sizes(long each, long larger) {
        long of(long partition) {
            return each + (partition < larger ? 1 : 0);
        }

        long start(long partition) {
            return partition * each + Math.min(partition, larger);
        }
    }

    /** Which sample a partition got at a row of the deal. */
    @FunctionalInterface
    private interface Dealer {
        long index(long partition, long row);
    }

    /** The order within the partition drawn from last, usually the next one too. */
    private static final class Latest<O> {
        private final LongFunction<O> orders;
        private Part<O> last; // racy, and immutable: a thread that sees another one makes its own

        private record Part<O>(long number, O order) {}

        Latest(LongFunction<O> orders) {
            this.orders = orders;
            this.last = new Part<>(0, orders.apply(0));
        }

        O of(long number) {
            Part<O> part = last;
            if (part.number != number) {
                part = new Part<>(number, orders.apply(number));
                last = part;
            }
            return part.order;
        }
    }

    /** Partitions each permuted within themselves, as they were dealt. */
    private static final class Dealt implements Epoch {
        private final int partitions;
        private final Dealer dealer;
        private final Latest<Permutation> within;

        Dealt(int partitions, Sizes sizes, long key, Dealer dealer) {
            this.partitions = partitions;
            this.dealer = dealer;
            this.within = new Latest<>(part -> new Permutation(sizes.of(part), Mixing.fold(key, part)));
        }

        @Override
        public long index(long position) {
            long turn = position / partitions;
            long number = position - turn * partitions;
            return dealer.index(number, within.of(number).index(turn));
        }
    }

    /**
     * Each whole row of P samples is dealt from a place of its own on; the last one, if it is not whole, as it lies.
     */
    private record Rotation(int partitions, long rows, long key) implements Dealer {
        @Override
        public long index(long partition, long row) {
            long first = row * partitions;
            if (row == rows) {
                return first + partition;
            }
            long place = partition + ((Mixing.fold(key, row) >>> 32) * partitions >>> 32);
            return first + (place < partitions ? place : place - partitions);
        }
    }

    /**
     * The base order is one of whole windows, cut into partitions of neighbours. The windows of a partition begin where
     * those of the base order do: what a partition has before the first of them goes last.
     */
    private Epoch windowed(Windowed kind, Sizes sizes, long baseKey, long key, long size) {
        int parts = partitions;
        long window = kind.window();
        long windows = size / window;
        Permutation among = new Permutation(windows, baseKey);
        Latest<Windows> own = new Latest<>(part -> kind.windows(sizes.of(part), Mixing.fold(key, part)));
        return position -> {
            long turn = position / parts;
            long partition = position - turn * parts;
            long many = sizes.of(partition);
            long start = sizes.start(partition);
            long before = Math.min(Math.floorMod(-start, window), many);
            long within = own.of(partition).index(turn) + before;
            long inBase = start + (within < many ? within : within - many);
            long which = inBase / window;
            return which < windows ? among.index(which) * window + inBase % window : inBase;
        };
    }

    @Override
    public String toString() {
        return order.toString();
    }
}
