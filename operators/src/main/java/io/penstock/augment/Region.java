package io.penstock.augment;

/**
 * A rectangle of pixels.
 *
 * @param top    the first row; negative in the padding
 * @param left   the first column; negative in the padding
 * @param height in pixels; 0 is no rectangle at all
 * @param width  in pixels; 0 is no rectangle at all
 */
public record Region(int top, int left, int height, int width) {

    /** No pixel. */
    public static final Region EMPTY = new Region(0, 0, 0, 0);

    public Region {
        if (height < 0 || width < 0) {
            throw new IllegalArgumentException(
                    "region must not have a negative size: %d × %d".formatted(height, width));
        }
    }

    /** Whether it holds no pixel. */
    public boolean isEmpty() {
        return height == 0 || width == 0;
    }

    double pixels() {
        return (double) height * width;
    }

    /** Whether it lies in an image of this size with this padding on each side. */
    boolean fits(Image image, int padding) {
        return top >= -padding
                && left >= -padding
                && (long) top + height <= (long) image.height() + padding
                && (long) left + width <= (long) image.width() + padding;
    }

    Region transposed() {
        return new Region(/* top= */ left, /* left= */ top, /* height= */ width, /* width= */ height);
    }

    @Override
    public String toString() {
        return "%d × %d at (%d, %d)".formatted(height, width, top, left);
    }
}
