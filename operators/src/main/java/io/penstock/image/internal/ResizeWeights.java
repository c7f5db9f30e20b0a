package io.penstock.image.internal;

import java.util.Arrays;

/**
 * The weight of each input pixel in each output pixel along one axis. The weights of an output are integers that sum
 * to a power of two exactly, so an image of one colour keeps it.
 *
 * <p>The filter is a triangle, centred on the output pixel, cut at the image's edge and normalised, as in Pillow's
 * {@code BILINEAR} and torchvision's {@code antialias=True}. It is two output pixels wide when shrinking, two input
 * pixels when growing.
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
     * The weights from {@code inputs} pixels to {@code outputs}.
     * @param extent the length of the image's axis in input pixels: the number of inputs, or less if the image was
     *     decoded at a reduced scale and its last pixel reaches over the edge
     * @param bits the weights of an output sum to 2 to this power
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

    /** Rounds the scaled shares down, and leaves the remainders in their place. */
    private void put(int out, int from, int count, double[] shares, double factor) {
        first[out] = from;
        counts[out] = count;
        for (int i = 0, at = out * taps; i < count; i++, at++) {
            double scaled = shares[i] * factor;
            values[at] = (int) scaled;
            shares[i] = scaled - values[at];
        }
    }

    /** Adds 1 to the weights with the largest remainders until the sum is exact. No weight is then off by 1 or more. */
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

    /** Drops zeros at both ends. */
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

    /** The largest number of inputs of one output. */
    int maxCount() {
        return Arrays.stream(counts).max().orElse(0);
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
