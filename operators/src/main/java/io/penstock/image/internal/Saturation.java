package io.penstock.image.internal;

/**
 * Multiplies each channel's distance from the pixel's grey, in 16-bit fixed point. Tables before and after it are one
 * pass with it: they become part of its own.
 */
public final class Saturation implements RowKernel {

    private static final int HALF = 1 << 15;
    private static final int VALUES = 256;

    private final int channels;
    private final int rest; // what grey has in the result
    private final int offset; // for rounding, and so that the smallest place is 0
    private final int[] red; // what a value has in grey
    private final int[] green;
    private final int[] blue;
    private final int[] own; // what a value has in the result
    private final byte[] results; // by their places: clamped

    private Saturation(Saturation of, int[] red, int[] green, int[] blue, int[] own, byte[] results) {
        this.channels = of.channels;
        this.rest = of.rest;
        this.offset = of.offset;
        this.red = red;
        this.green = green;
        this.blue = blue;
        this.own = own;
        this.results = results;
    }

    private Saturation(int factor, int channels) {
        this.channels = channels;
        this.rest = (1 << 16) - factor;
        int least = Math.min(0, (VALUES - 1) * rest + HALF >> 16);
        int most = Math.max(VALUES - 1, (VALUES - 1) * factor + HALF >> 16);
        this.offset = HALF - (least << 16);
        this.red = new int[VALUES];
        this.green = new int[VALUES];
        this.blue = new int[VALUES];
        this.own = new int[VALUES];
        for (int value = 0; value < VALUES; value++) {
            red[value] = 19595 * value + HALF;
            green[value] = 38470 * value;
            blue[value] = 7471 * value;
            own[value] = factor * value;
        }
        this.results = new byte[most - least + 1];
        for (int place = 0; place < results.length; place++) {
            results[place] = (byte) Math.max(0, Math.min(VALUES - 1, place + least));
        }
    }

    public static Saturation of(double factor, int channels) {
        return new Saturation((int) Math.rint(factor * 65536), channels);
    }

    /** This after a table. */
    public Saturation behind(LookupTable first) {
        return new Saturation(
                this, first.before(red), first.before(green), first.before(blue), first.before(own), results);
    }

    /** This before a table. */
    public Saturation then(LookupTable next) {
        byte[] changed = results.clone();
        next.change(changed);
        return new Saturation(this, red, green, blue, own, changed);
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
