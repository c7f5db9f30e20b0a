package io.penstock.image.internal;

import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Replaces the values of each channel by how frequent they are there, as Pillow's {@code ImageOps} defines it. In place; a
 * fourth channel stays.
 */
public final class ChannelTables {

    private static final int COLOURS = 3;
    private static final int VALUES = 256;

    private ChannelTables() {}

    /** Stretches each channel so that its darkest value becomes 0 and its lightest 255. */
    public static void autocontrast(byte[] pixels, int channels) {
        change(pixels, channels, counts -> {
            int[] found = found(counts);
            int low = found[0];
            int range = found[found.length - 1] - low;
            return IntStream.range(0, VALUES)
                    .map(value -> range == 0 ? value : (int) ((value - low) * (255.0 / range)))
                    .toArray();
        });
    }

    /** Spreads the values of each channel so that all are about as frequent. */
    public static void equalise(byte[] pixels, int channels) {
        change(pixels, channels, counts -> {
            int[] found = found(counts);
            int step = (pixels.length / channels - counts[found[found.length - 1]]) / 255;
            int[] table = new int[VALUES];
            int below = step / 2;
            for (int value = 0; value < VALUES; below += counts[value++]) {
                table[value] = step == 0 ? value : Math.min(255, below / step);
            }
            return table;
        });
    }

    private static int[] found(int[] counts) {
        return IntStream.range(0, VALUES).filter(value -> counts[value] > 0).toArray();
    }

    /** @param tableOf what becomes of each value, given how often each is there */
    private static void change(byte[] pixels, int channels, UnaryOperator<int[]> tableOf) {
        for (int channel = 0; channel < Math.min(COLOURS, channels); channel++) {
            int[] counts = new int[VALUES];
            for (int i = channel; i < pixels.length; i += channels) {
                counts[pixels[i] & 0xFF]++;
            }
            int[] table = tableOf.apply(counts);
            for (int i = channel; i < pixels.length; i += channels) {
                pixels[i] = (byte) table[pixels[i] & 0xFF];
            }
        }
    }
}
