package io.penstock.image.internal;

import java.util.Arrays;

/** Replaces each value by another: brightness and contrast. Leaves a fourth channel alone. */
public final class LookupTable implements RowKernel {

    private final byte[] table;
    private final int channels;

    private LookupTable(byte[] table, int channels) {
        this.table = table;
        this.channels = channels;
    }

    /** Multiplies the distance from a middle, rounding to the nearest byte. */
    public static LookupTable away(double middle, double factor, int channels) {
        byte[] table = new byte[256];
        for (int value = 0; value < 256; value++) {
            long moved = Math.round(middle + factor * (value - middle));
            table[value] = (byte) Math.max(0, Math.min(255, moved));
        }
        return new LookupTable(table, channels);
    }

    /** This table followed by another. */
    public LookupTable then(LookupTable next) {
        byte[] both = table.clone();
        next.change(both);
        return new LookupTable(both, channels);
    }

    /** What another table says of the values of this one. */
    int[] of(int[] other) {
        int[] both = new int[table.length];
        Arrays.setAll(both, value -> other[table[value] & 0xFF]);
        return both;
    }

    /** Replaces all of these values. */
    void change(byte[] values) {
        byte[] changed = table;
        for (int i = 0; i < values.length; i++) {
            values[i] = changed[values[i] & 0xFF];
        }
    }

    @Override
    public void apply(byte[] row, int from, int to) {
        byte[] values = table;
        if (channels == 4) {
            for (int i = from; i < to; i += 4) {
                row[i] = values[row[i] & 0xFF];
                row[i + 1] = values[row[i + 1] & 0xFF];
                row[i + 2] = values[row[i + 2] & 0xFF];
            }
        } else {
            for (int i = from; i < to; i++) {
                row[i] = values[row[i] & 0xFF];
            }
        }
    }
}
