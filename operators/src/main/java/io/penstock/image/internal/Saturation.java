package io.penstock.image.internal;

import java.util.Arrays;

/**
 * Multiplies each channel's distance from the pixel's grey, in 16-bit fixed point. Tables before and after it are one
 * pass with it: they become part of its own.
 *
 * @param rest    what grey has in the result
 * @param offset  for rounding, and so that the smallest place is 0
 * @param red     what a value has in grey, as green and blue
 * @param own     what a value has in the result
 * @param results by their places: clamped
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Saturation(
        int channels, int rest, int offset, int[] red, int[] green, int[] blue, int[] own, byte[] results)
        implements RowKernel {

    private static final int HALF = 1 << 15;
    private static final int VALUES = 256;

    public static Saturation of(double share, int channels) {
        int factor = (int) Math.rint(share * 65536);
        int rest = (1 << 16) - factor;
        int least = Math.min(0, (VALUES - 1) * rest + HALF >> 16);
        int most = Math.max(VALUES - 1, (VALUES - 1) * factor + HALF >> 16);
        byte[] results = new byte[most - least + 1];
        for (int place = 0; place < results.length; place++) {
            results[place] = (byte) Math.max(0, Math.min(VALUES - 1, place + least));
        }
        int offset = HALF - (least << 16);
        return new Saturation(
                channels, rest, offset, line(19595, HALF), line(38470, 0), line(7471, 0), line(factor, 0), results);
    }

    private static int[] line(int slope, int start) {
        int[] values = new int[VALUES];
        Arrays.setAll(values, value -> slope * value + start);
        return values;
    }

    /** This after a table. */
    public Saturation behind(LookupTable first) {
        int[] ofRed = first.before(red);
        int[] ofGreen = first.before(green);
        int[] ofBlue = first.before(blue);
        return new Saturation(channels, rest, offset, ofRed, ofGreen, ofBlue, first.before(own), results);
    }

    /** This before a table. */
    public Saturation then(LookupTable next) {
        byte[] changed = results.clone();
        next.change(changed);
        return new Saturation(channels, rest, offset, red, green, blue, own, changed);
    }

    @Override
    public void apply(byte[] row, int from, int to) {
        int[] inRed = red; // fields are read again after each write to the row
        int[] inGreen = green;
        int[] inBlue = blue;
        int[] inResult = own;
        byte[] values = results;
        for (int i = from; i < to; i += channels) {
            int r = row[i] & 0xFF;
            int g = row[i + 1] & 0xFF;
            int b = row[i + 2] & 0xFF;
            int grey = (inRed[r] + inGreen[g] + inBlue[b] >> 16) * rest + offset;
            row[i] = values[grey + inResult[r] >>> 16];
            row[i + 1] = values[grey + inResult[g] >>> 16];
            row[i + 2] = values[grey + inResult[b] >>> 16];
        }
    }
}
