package io.penstock.image.internal;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/** Replaces each value by another, the same in all channels. Leaves a fourth channel alone. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LookupTable(byte[] table, int channels) implements RowKernel {

    /** What becomes of each value, 0 to 255, which is such a value too. */
    public static LookupTable of(int channels, IntUnaryOperator result) {
        byte[] table = new byte[256];
        for (int value = 0; value < table.length; value++) {
            table[value] = (byte) result.applyAsInt(value);
        }
        return new LookupTable(table, channels);
    }

    /** Multiplies the distance from a middle, rounding to the nearest byte. */
    public static LookupTable away(double middle, double factor, int channels) {
        return of(channels, value -> (int) Math.max(0, Math.min(255, Math.round(middle + factor * (value - middle)))));
    }

    /** This table followed by another. */
    public LookupTable then(LookupTable next) {
        byte[] both = table.clone();
        next.change(both);
        return new LookupTable(both, channels);
    }

    /** What another table says of the values of this one. */
    int[] before(int[] other) {
        int[] both = new int[table.length];
        Arrays.setAll(both, value -> other[table[value] & 0xFF]);
        return both;
    }

    /** Replaces all of these values. */
    void change(byte[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = table[values[i] & 0xFF];
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
