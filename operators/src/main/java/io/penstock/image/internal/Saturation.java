package io.penstock.image.internal;

/** Multiplies each channel's distance from the pixel's grey, in 16-bit fixed point. */
public record Saturation(int factor, int channels) implements RowKernel {

    private static final int HALF = 1 << 15;

    public static Saturation of(double factor, int channels) {
        return new Saturation((int) Math.rint(factor * 65536), channels);
    }

    @Override
    public void apply(byte[] row, int from, int to) {
        for (int i = from; i < to; i += channels) {
            int red = row[i] & 0xFF;
            int green = row[i + 1] & 0xFF;
            int blue = row[i + 2] & 0xFF;
            int grey = (19595 * red + 38470 * green + 7471 * blue + HALF) >> 16;
            row[i] = away(grey, red);
            row[i + 1] = away(grey, green);
            row[i + 2] = away(grey, blue);
        }
    }

    private byte away(int grey, int value) {
        int moved = ((grey << 16) + factor * (value - grey) + HALF) >> 16;
        return (byte) Math.max(0, Math.min(255, moved));
    }
}
