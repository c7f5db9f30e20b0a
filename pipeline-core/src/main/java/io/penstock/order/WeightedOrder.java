package io.penstock.order;

import io.penstock.order.internal.Mixing;

/**
 * Samples at random by weights, with replacement: each draw is a function of (seed, epoch, position).
 *
 * <p>An alias table [1], made by Vose's method [2], gives each of n columns of one height to one or two samples. A draw
 * picks a column and a height in it by one hash. {@code docs/order.md} specifies it.
 *
 * <p><b>Memory</b>: 12 bytes a sample.
 *
 * <ol>
 *   <li>Walker: An efficient method for generating discrete random variables, ACM TOMS 3 (1977)
 *   <li>Vose: A linear algorithm for generating random numbers with a given distribution, IEEE TSE 17 (1991)
 * </ol>
 */
final class WeightedOrder implements Order {

    /** Sets the draws apart from other orders; changing it changes every saved position's meaning. */
    private static final long WEIGHTED = 0x5745_4947L;

    private final long draws;
    private final long hash;

    /** Heights of 64 bits, unsigned: below it a column is of its own sample, above it of another one. */
    private final long[] heights;

    private final int[] others;

    private WeightedOrder(long draws, long hash, long[] heights, int[] others) {
        this.draws = draws;
        this.hash = hash;
        this.heights = heights;
        this.others = others;
    }

    static WeightedOrder of(double[] weights, long draws) {
        Proportions.requireDraws(draws);
        int heaviest = heaviest(weights);
        double max = weights[heaviest];
        double sum = 0;
        long hash = 0;
        for (double weight : weights) {
            sum += weight / max; // not more than there are samples, however large the weights
            hash = Mixing.fold(hash, Double.doubleToLongBits(weight + 0.0)); // 0 for -0
        }
        double[] shares = new double[weights.length];
        for (int i = 0; i < shares.length; i++) {
            shares[i] = weights[i] / max / sum * weights.length;
        }
        int[] others = new int[weights.length];
        long[] heights = columns(shares, others, heaviest);
        return new WeightedOrder(draws, hash, heights, others);
    }

    private static int heaviest(double[] weights) {
        int heaviest = -1;
        for (int i = 0; i < weights.length; i++) {
            if (!(weights[i] >= 0 && weights[i] < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(
                        "weight of sample %d must be finite and at least 0, was %s".formatted(i, weights[i]));
            }
            if (weights[i] > 0 && (heaviest < 0 || weights[i] > weights[heaviest])) {
                heaviest = i;
            }
        }
        if (heaviest < 0) {
            throw new IllegalArgumentException(
                    "of %d weights at least one must be more than 0".formatted(weights.length));
        }
        return heaviest;
    }

    /**
     * Vose's method: a column that its own sample does not fill is filled by one that has more than a column, which
     * keeps the rest. Rounding may leave columns over; the heaviest sample fills them, so that none of weight 0 does.
     */
    private static long[] columns(double[] shares, int[] others, int heaviest) {
        long[] heights = new long[shares.length];
        int[] waiting = new int[shares.length]; // those of less than a column from the left, the others from the right
        int small = 0;
        int large = shares.length;
        for (int i = shares.length - 1; i >= 0; i--) {
            if (shares[i] < 1) {
                waiting[small++] = i;
            } else {
                waiting[--large] = i;
            }
        }
        while (small > 0 && large < shares.length) {
            int filled = waiting[--small];
            int filler = waiting[large];
            heights[filled] = height(shares[filled]);
            others[filled] = filler;
            shares[filler] -= 1 - shares[filled];
            if (shares[filler] < 1) {
                large++;
                waiting[small++] = filler;
            }
        }
        while (large < shares.length) {
            int full = waiting[large++];
            others[full] = full;
        }
        while (small > 0) {
            int nearlyFull = waiting[--small];
            heights[nearlyFull] = height(shares[nearlyFull]);
            others[nearlyFull] = heaviest;
        }
        return heights;
    }

    private static long height(double share) {
        return (long) (share * 0x1p63) << 1;
    }

    @Override
    public long draws(long size) {
        if (size != others.length) {
            throw new IllegalArgumentException(
                    "this order has weights of %d samples, the dataset has %d".formatted(others.length, size));
        }
        return draws;
    }

    @Override
    public Epoch epoch(long seed, long epoch, long size) {
        return new WeightedEpoch(Mixing.fold(Order.key(seed, epoch), WEIGHTED));
    }

    private final class WeightedEpoch implements Epoch {
        private final long key;

        WeightedEpoch(long key) {
            this.key = key;
        }

        @Override
        public long index(long position) {
            long word = Mixing.fold(key, position);
            int columns = others.length;
            int column = (int) (Math.multiplyHigh(word, columns) + (word < 0 ? columns : 0)); // unsigned
            return Long.compareUnsigned(word * columns, heights[column]) < 0 ? column : others[column];
        }

        @Override
        public void indices(long[] positions, long[] turns) {
            System.arraycopy(positions, 0, turns, 0, positions.length);
            Epoch.super.indices(positions, turns);
        }
    }

    @Override
    public String toString() {
        return "weighted by %016x".formatted(hash);
    }
}
