package io.penstock.image.internal;

import java.util.Arrays;

/**
 * How much each input place adds to each output place along one axis, as integers that sum to a power of two exactly,
 * so that a constant picture stays what it is.
 *
 * <p>The filter is a triangle as wide as two output places when shrinking and as two input places when growing, centred
 * on the output place, cut at the picture's edge and normalised: what Pillow's {@code BILINEAR} and torchvision's
 * {@code antialias=True} do.
 */
final class ResizeWeights {

    private final int taps;
    private final int[] first;
    private final int[] counts;
    private final int[] values;

    private ResizeWeights(int taps, int outputs) {
        this.taps = taps;
        this.first = new int[outputs];
        this.counts = new int[outputs];
        this.values = new int[outputs * taps];
    }

    /**
     * The weights from {@code inputs} places, which span {@code extent} units of the picture's axis, to {@code outputs}.
     * The extent is the number of inputs, but for a picture decoded at a reduced scale, whose last place may hang over
     * the edge.
     */
    static ResizeWeights of(int inputs, double extent, int outputs, int bits) {
        double scale = extent / outputs;
        double support = Math.max(1, scale);
        ResizeWeights weights = new ResizeWeights((int) Math.ceil(support) * 2 + 1, outputs);
        double[] shares = new double[weights.taps];
        for (int out = 0; out < outputs; out++) {
            double centre = (out + 0.5) * scale;
            int from = Math.max(0, (int) (centre - support + 0.5));
            int to = Math.min(inputs, (int) (centre + support + 0.5));
            double total = 0;
            for (int i = from; i < to; i++) {
                double share = Math.max(0, 1 - Math.abs(i + 0.5 - centre) / support);
                shares[i - from] = share;
                total += share;
            }
            weights.put(out, from, to - from, shares, (1 << bits) / total);
            weights.topUp(out, 1 << bits, shares);
            weights.trim(out);
        }
        return weights;
    }

    /** Rounds the scaled shares down, and leaves what was cut off in their place. */
    private void put(int out, int from, int count, double[] shares, double factor) {
        first[out] = from;
        counts[out] = count;
        for (int i = 0, at = out * taps; i < count; i++, at++) {
            double scaled = shares[i] * factor;
            values[at] = (int) scaled;
            shares[i] = scaled - values[at];
        }
    }

    /** Adds what the sum lacks where most was cut off: no weight is off by one or more, and the sum is exact. */
    private void topUp(int out, int sum, double[] remainders) {
        int at = out * taps;
        int left = sum;
        for (int i = 0; i < counts[out]; i++) {
            left -= values[at + i];
        }
        for (; left > 0; left--) {
            int largest = 0;
            for (int i = 1; i < counts[out]; i++) {
                largest = remainders[i] > remainders[largest] ? i : largest;
            }
            values[at + largest]++;
            remainders[largest] = -1;
        }
    }

    /** Zeros at the ends only cost time. */
    private void trim(int out) {
        int at = out * taps;
        int zeros = 0;
        while (values[at + zeros] == 0) {
            zeros++;
        }
        int count = counts[out];
        while (values[at + count - 1] == 0) {
            count--;
        }
        System.arraycopy(values, at + zeros, values, at, count - zeros);
        Arrays.fill(values, at + count - zeros, at + taps, 0);
        first[out] += zeros;
        counts[out] = count - zeros;
    }

    /** The most inputs that one output takes. */
    int maxCount() {
        int most = 0;
        for (int count : counts) {
            most = Math.max(most, count);
        }
        return most;
    }

    int first(int out) {
        return first[out];
    }

    int count(int out) {
        return counts[out];
    }

    int value(int out, int tap) {
        return values[out * taps + tap];
    }
}
