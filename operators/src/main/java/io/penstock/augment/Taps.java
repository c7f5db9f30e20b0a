package io.penstock.augment;

/**
 * Which source pixels make up each pixel of a resized axis, and how much each counts: a triangle around the place it came
 * from, one pixel to either side, widened by the factor of a reduction so that no pixel is left out.
 *
 * <p>So an enlargement is plain bilinear interpolation with half-pixel centres, and a reduction is antialiased, as in
 * Pillow and in torchvision with its default {@code antialias=True}.
 */
final class Taps {

    private final int most;
    private final int[] first;
    private final int[] count;
    private final float[] weights;

    private Taps(int length, int most) {
        this.most = most;
        this.first = new int[length];
        this.count = new int[length];
        this.weights = new float[Math.multiplyExact(length, most)];
    }

    static Taps of(int source, int target) {
        double scale = (double) source / target;
        double reach = Math.max(1, scale);
        Taps taps = new Taps(target, Math.min(source, (int) Math.ceil(reach) * 2 + 1));
        for (int i = 0; i < target; i++) {
            double centre = (i + 0.5) * scale;
            int from = Math.max(0, (int) (centre - reach + 0.5));
            int to = Math.min(source, (int) (centre + reach + 0.5));
            taps.set(i, from, to - from, centre, reach);
        }
        return taps;
    }

    private void set(int i, int from, int taps, double centre, double reach) {
        double total = 0;
        for (int k = 0; k < taps; k++) {
            total += weight(from + k, centre, reach);
        }
        for (int k = 0; k < taps; k++) {
            weights[i * most + k] = (float) (weight(from + k, centre, reach) / total);
        }
        first[i] = from;
        count[i] = taps;
    }

    private static double weight(int pixel, double centre, double reach) {
        return Math.max(0, 1 - Math.abs(pixel + 0.5 - centre) / reach);
    }

    /** The largest number of source pixels that one pixel is made of. */
    int most() {
        return most;
    }

    /** The first source pixel that pixel i is made of. */
    int first(int i) {
        return first[i];
    }

    int count(int i) {
        return count[i];
    }

    /** All weights; those of pixel i begin at {@code i * most()}. */
    float[] weights() {
        return weights;
    }
}
