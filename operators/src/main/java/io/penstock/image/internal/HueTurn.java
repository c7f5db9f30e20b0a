package io.penstock.image.internal;

/**
 * Turns the hue of each pixel, keeping its HSV saturation and value.
 *
 * <p>With step = largest − smallest channel, the circle has 6 · step units and a pixel's hue is an integer number of
 * them, counted from red. A channel is the largest value less {@code clamp(min(k, 4 · step − k), 0, step)}, where k is
 * the hue plus an offset of the channel, modulo the circle. This needs no division, rounds the turn only, and has no
 * branches: processors predict badly which channel is the largest.
 *
 * @param turn the angle in 2^-16 of a sixth of the circle; not negative
 * @see <a href="https://en.wikipedia.org/wiki/HSL_and_HSV#HSV_to_RGB_alternative">The formula without cases</a>
 */
public record HueTurn(int turn, int channels) implements RowKernel {

    private static final int HALF = 1 << 15;

    public static HueTurn of(double share, int channels) {
        int sixths = (int) Math.rint(share * 6 * 65536);
        return new HueTurn(sixths < 0 ? sixths + (6 << 16) : sixths, channels);
    }

    @Override
    public void apply(byte[] row, int from, int to) {
        for (int i = from; i < to; i += channels) {
            int red = row[i] & 0xFF;
            int green = row[i + 1] & 0xFF;
            int blue = row[i + 2] & 0xFF;
            int max = Math.max(red, Math.max(green, blue));
            int step = max - Math.min(red, Math.min(green, blue));
            int sixth = step << 16;
            int place = (hue(red, green, blue, max, step) << 16) + turn * step;
            place = modulo(place + ((place >> 31) & (6 * sixth)), 6 * sixth);
            row[i] = channel(max, place + 5 * sixth, sixth);
            row[i + 1] = channel(max, place + 3 * sixth, sixth);
            row[i + 2] = channel(max, place + sixth, sixth);
        }
    }

    /** In units, from −step to 5 · step. */
    private static int hue(int red, int green, int blue, int max, int step) {
        int notRed = (red - max) >> 31; // all ones or none, as the next
        int notGreen = (green - max) >> 31;
        int fromRed = (green - blue) & ~notRed;
        int fromGreen = (2 * step + blue - red) & notRed & ~notGreen;
        int fromBlue = (4 * step + red - green) & notRed & notGreen;
        return fromRed + fromGreen + fromBlue;
    }

    private static byte channel(int max, int place, int sixth) {
        int k = modulo(place, 6 * sixth);
        int less = Math.max(0, Math.min(Math.min(k, 4 * sixth - k), sixth));
        return (byte) (max - ((less + HALF) >> 16));
    }

    /** For values below twice the circle. */
    private static int modulo(int value, int circle) {
        return value - (((circle - 1 - value) >> 31) & circle);
    }
}
