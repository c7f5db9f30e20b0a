package io.penstock.image.internal;

import java.util.function.IntUnaryOperator;

/** Replaces each value of a channel by another, as Pillow's {@code ImageOps} defines it. A fourth channel stays. */
public final class ChannelTables {

    private static final int COLOURS = 3;

    private final byte[][] tables; // 256 values for each channel

    private ChannelTables(byte[][] tables) {
        this.tables = tables;
    }

    /** The same table for all channels; of 256 values, each in [0, 255]. */
    public static ChannelTables of(int channels, IntUnaryOperator value) {
        byte[][] tables = new byte[channels][];
        byte[] table = table(value);
        for (int channel = 0; channel < channels; channel++) {
            tables[channel] = channel < COLOURS ? table : table(i -> i);
        }
        return new ChannelTables(tables);
    }

    private static byte[] table(IntUnaryOperator value) {
        byte[] table = new byte[256];
        for (int i = 0; i < 256; i++) {
            table[i] = (byte) value.applyAsInt(i);
        }
        return table;
    }

    /** Stretches each channel so that its darkest value becomes 0 and its lightest 255. */
    public static ChannelTables autocontrast(byte[] pixels, int channels) {
        byte[][] tables = new byte[channels][];
        int[][] counts = counts(pixels, channels);
        for (int channel = 0; channel < channels; channel++) {
            tables[channel] = channel < COLOURS ? stretched(counts[channel]) : table(i -> i);
        }
        return new ChannelTables(tables);
    }

    private static byte[] stretched(int[] counts) {
        int low = 0;
        int high = 255;
        while (low < high && counts[low] == 0) {
            low++;
        }
        while (high > low && counts[high] == 0) {
            high--;
        }
        int first = low;
        int range = high - low;
        return table(i -> range == 0 ? i : Math.max(0, Math.min(255, (int) ((i - first) * (255.0 / range)))));
    }

    /** Spreads the values of each channel so that all are about as frequent. */
    public static ChannelTables equalise(byte[] pixels, int channels) {
        byte[][] tables = new byte[channels][];
        int[][] counts = counts(pixels, channels);
        for (int channel = 0; channel < channels; channel++) {
            tables[channel] = channel < COLOURS ? spread(counts[channel]) : table(i -> i);
        }
        return new ChannelTables(tables);
    }

    private static byte[] spread(int[] counts) {
        int last = 255;
        int sum = 0;
        for (int count : counts) {
            sum += count;
        }
        while (last > 0 && counts[last] == 0) {
            last--;
        }
        int step = (sum - counts[last]) / 255;
        if (step == 0) {
            return table(i -> i);
        }
        byte[] table = new byte[256];
        int n = step / 2;
        for (int i = 0; i < 256; n += counts[i++]) {
            table[i] = (byte) Math.min(255, n / step);
        }
        return table;
    }

    private static int[][] counts(byte[] pixels, int channels) {
        int[][] counts = new int[channels][256];
        for (int i = 0; i < pixels.length; i += channels) {
            for (int channel = 0; channel < channels; channel++) {
                counts[channel][pixels[i + channel] & 0xFF]++;
            }
        }
        return counts;
    }

    /** Changes all pixels in place. */
    public void apply(byte[] pixels) {
        for (int channel = 0; channel < tables.length; channel++) {
            byte[] table = tables[channel];
            for (int i = channel; i < pixels.length; i += tables.length) {
                pixels[i] = table[pixels[i] & 0xFF];
            }
        }
    }
}
