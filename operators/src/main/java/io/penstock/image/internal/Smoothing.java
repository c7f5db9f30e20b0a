package io.penstock.image.internal;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Filters that mix neighbours: Gaussian blur, and sharpness as Pillow's {@code ImageEnhance} defines it. */
public final class Smoothing {

    private static final int KERNEL_BITS = 16;
    private static final int BETWEEN_BITS = 7; // of a value between the passes, beside its 8

    private Smoothing() {}

    /**
     * The distance of each value from the mean of its neighbourhood, by which it counts five times, times a factor. The
     * outermost pixels and a fourth channel stay.
     */
    public static byte[] sharpness(byte[] pixels, int height, int width, int channels, double factor) {
        byte[] out = pixels.clone();
        int row = width * channels;
        int fixed = (int) Math.rint(factor * 65536);
        for (int y = 1; y < height - 1; y++) {
            for (int i = y * row + channels; i < (y + 1) * row - channels; i++) {
                if (channels == 4 && i % 4 == 3) {
                    continue;
                }
                int value = pixels[i] & 0xFF;
                int sum =
                        column(pixels, i - channels, row) + column(pixels, i, row) + column(pixels, i + channels, row);
                int smooth = (2 * (sum + 4 * value) + 13) / 26;
                int sharp = ((smooth << 16) + fixed * (value - smooth) + (1 << 15)) >> 16;
                out[i] = (byte) Math.max(0, Math.min(255, sharp));
            }
        }
        return out;
    }

    private static int column(byte[] pixels, int at, int row) {
        return (pixels[at - row] & 0xFF) + (pixels[at] & 0xFF) + (pixels[at + row] & 0xFF);
    }

    /** A Gaussian of this deviation in pixels, cut off at three deviations. The borders are mirrored. */
    public static byte[] blur(byte[] pixels, int height, int width, int channels, double deviation) {
        int[] kernel = kernel(deviation);
        int row = width * channels;
        short[] across = new short[pixels.length];
        int[] from = mirrored(width, kernel.length / 2);
        int half = 1 << (KERNEL_BITS - BETWEEN_BITS - 1);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                for (int channel = 0; channel < channels; channel++) {
                    int sum = half;
                    for (int k = 0; k < kernel.length; k++) {
                        sum += kernel[k] * (pixels[y * row + from[x + k] * channels + channel] & 0xFF);
                    }
                    across[y * row + x * channels + channel] = (short) (sum >> (KERNEL_BITS - BETWEEN_BITS));
                }
            }
        }
        byte[] out = new byte[pixels.length];
        int[] fromRow = mirrored(height, kernel.length / 2);
        int[] sums = new int[row];
        for (int y = 0; y < height; y++) {
            Arrays.fill(sums, 1 << (KERNEL_BITS + BETWEEN_BITS - 1));
            for (int k = 0; k < kernel.length; k++) {
                int at = fromRow[y + k] * row;
                int weight = kernel[k];
                for (int i = 0; i < row; i++) {
                    sums[i] += weight * across[at + i]; // at most 2^31 - 2^22: the kernel sums to 2^16
                }
            }
            for (int i = 0; i < row; i++) {
                out[y * row + i] = (byte) (sums[i] >> (KERNEL_BITS + BETWEEN_BITS));
            }
        }
        return out;
    }

    /** Weights that sum to 2^16. */
    private static int[] kernel(double deviation) {
        int radius = (int) Math.ceil(3 * deviation);
        double[] exact = IntStream.rangeClosed(-radius, radius)
                .mapToDouble(i -> i / deviation)
                .map(distance -> StrictMath.exp(-distance * distance / 2))
                .toArray();
        double sum = DoubleStream.of(exact).reduce(0, Double::sum); // sum() rounds in another way
        int[] kernel = DoubleStream.of(exact)
                .mapToInt(weight -> (int) Math.rint(weight / sum * (1 << KERNEL_BITS)))
                .toArray();
        kernel[radius] += (1 << KERNEL_BITS) - IntStream.of(kernel).sum();
        return kernel;
    }

    /** The places -radius to length + radius, mirrored about the first and the last as often as it takes. */
    private static int[] mirrored(int length, int radius) {
        int period = Math.max(1, 2 * (length - 1));
        return IntStream.range(-radius, length + radius)
                .map(i -> Math.floorMod(i, period))
                .map(place -> Math.min(place, period - place) % length)
                .toArray();
    }
}
