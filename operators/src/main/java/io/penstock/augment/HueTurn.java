package io.penstock.augment;

/**
 * Turns the hue of each pixel, keeping its HSV saturation and value.
 *
 * <p>A pixel's hue is an integer number of steps from red, with step = largest − smallest channel and 6 · step steps
 * around. A channel is its largest value less {@code clamp(min(k, 4 · step − k), 0, step)}, where k is the hue and a
 * number of steps of the channel's own, modulo the circle. So nothing is divided, nothing is rounded but the turn itself,
 * and nothing branches: which channel is the largest is a coin toss that a processor guesses wrong.
 *
 * @param turn how far, in 2^-16 of a sixth of the circle; not negative
 * @see <a href="https://en.wikipedia.org/wiki/HSL_and_HSV#HSV_to_RGB_alternative">The formula without cases</a>
 */
record HueTurn(int turn, int channels) implements Colouring.Kernel {

    private static final int HALF = 1 << 15;

    static HueTurn of(double share, int channels) {
        int sixths = (int) Math.rint(share * 6 * 65536);
        return new HueTurn(sixths < 0 ? sixths + (6 << 16) : sixths, channels);
    }

    @Override
    public void apply(byte[] row, int from, int to) {
        for (int i = from; i < to; i += channels) {
            int red = row[i] & 0xFF;
            int green = row[i + 1] & 0xFF;
            int blue = row[i + 2] & 0xFF;
            int most = Math.max(red, Math.max(green, blue));
            int step = most - Math.min(red, Math.min(green, blue));
            int sixth = step << 16;
            int place = (hue(red, green, blue, most, step) << 16) + turn * step;
            place = modulo(place + ((place >> 31) & (6 * sixth)), 6 * sixth);
            row[i] = channel(most, place + 5 * sixth, sixth);
            row[i + 1] = channel(most, place + 3 * sixth, sixth);
            row[i + 2] = channel(most, place + sixth, sixth);
        }
    }

    /** In steps, from −step to 5 · step. */
    private static int hue(int red, int green, int blue, int most, int step) {
        int notRed = (red - most) >> 31; // all ones or none, as the next
        int notGreen = (green - most) >> 31;
        int fromRed = (green - blue) & ~notRed;
        int fromGreen = (2 * step + blue - red) & notRed & ~notGreen;
        int fromBlue = (4 * step + red - green) & notRed & notGreen;
        return fromRed + fromGreen + fromBlue;
    }

    private static byte channel(int most, int place, int sixth) {
        int k = modulo(place, 6 * sixth);
        int less = Math.max(0, Math.min(Math.min(k, 4 * sixth - k), sixth));
        return (byte) (most - ((less + HALF) >> 16));
    }

    /** For values below twice the circle. */
    private static int modulo(int value, int circle) {
        return value - (((circle - 1 - value) >> 31) & circle);
    }
}
