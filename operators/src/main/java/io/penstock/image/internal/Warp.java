package io.penstock.image.internal;

/** Pixels of an image under a {@link Homography}, interpolated between the four nearest; zero outside the image. */
public final class Warp {

    private static final int BITS = 11;
    private static final int ONE = 1 << BITS;
    private static final int HALF = 1 << (2 * BITS - 1);

    private Warp() {}

    /**
     * Warps bytes to an image of the same size. As in Pillow: a pixel is outside where its middle is, and at the border
     * the outermost pixel is repeated.
     * @param back from places in the result to places in the image
     */
    public static byte[] bilinear(byte[] image, int height, int width, int channels, Homography back) {
        byte[] out = new byte[image.length];
        boolean affine = back.isAffine();
        for (int y = 0, at = 0; y < height; y++) {
            double down = y + 0.5;
            double rowX = back.b() * down + back.c();
            double rowY = back.e() * down + back.f();
            double rowQ = back.h() * down + back.i();
            for (int x = 0; x < width; x++, at += channels) {
                double right = x + 0.5;
                double fromX = back.a() * right + rowX;
                double fromY = back.d() * right + rowY;
                if (!affine) {
                    double q = back.g() * right + rowQ;
                    fromX = q > 0 ? fromX / q : -1;
                    fromY /= q;
                }
                if (fromX >= 0 && fromX < width && fromY >= 0 && fromY < height) {
                    mix(image, height, width, channels, fromX - 0.5, fromY - 0.5, out, at);
                }
            }
        }
        return out;
    }

    private static void mix(
            byte[] image, int height, int width, int channels, double fromX, double fromY, byte[] out, int at) {
        int x = (int) (fromX + 1) - 1; // rounds down from -0.5
        int y = (int) (fromY + 1) - 1;
        int right = (int) ((fromX - x) * ONE + 0.5);
        int down = (int) ((fromY - y) * ONE + 0.5);
        int first = Math.max(0, x) * channels;
        int second = Math.min(width - 1, x + 1) * channels;
        int upper = Math.max(0, y) * width * channels;
        int lower = Math.min(height - 1, y + 1) * width * channels;
        for (int k = 0; k < channels; k++) {
            int top = (image[upper + first + k] & 0xFF) * (ONE - right) + (image[upper + second + k] & 0xFF) * right;
            int bottom = (image[lower + first + k] & 0xFF) * (ONE - right) + (image[lower + second + k] & 0xFF) * right;
            out[at + k] = (byte) ((top * (ONE - down) + bottom * down + HALF) >> (2 * BITS));
        }
    }
}
