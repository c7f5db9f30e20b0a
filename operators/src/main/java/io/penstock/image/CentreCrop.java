package io.penstock.image;

import io.penstock.image.internal.PixelRows;
import io.penstock.tensor.Tensor;
import java.util.function.UnaryOperator;

/**
 * Cuts the middle out of {@code u8[h, w, c]}. If an odd number of rows or columns is cut, one more is cut at the bottom
 * or the right.
 *
 * <p>Threads: immutable and thread-safe. {@link #toString} names the size, for use in a stage's name.
 */
public final class CentreCrop implements UnaryOperator<Tensor> {

    private static final int MAX_SIDE = 65_535;

    private final Size size;

    private CentreCrop(Size size) {
        this.size = size;
    }

    /**
     * To this height and width.
     * @throws IllegalArgumentException if a side is less than 1 or greater than 65,535
     */
    public static CentreCrop of(int height, int width) {
        if (height < 1 || width < 1 || height > MAX_SIDE || width > MAX_SIDE) {
            throw new IllegalArgumentException(
                    "height and width must be in [1, %d], were %d and %d".formatted(MAX_SIDE, height, width));
        }
        return new CentreCrop(new Size(height, width));
    }

    /**
     * Crops one image. A smaller one is refused; torchvision would pad it with black.
     * @throws IllegalArgumentException if it is not {@code u8[h, w, c]}, or smaller than the crop
     */
    @Override
    public Tensor apply(Tensor image) {
        PixelRows rows = PixelRows.ofBytes(image, "crop");
        int down = rows.height() - size.height();
        int across = rows.width() - size.width();
        if (down < 0 || across < 0) {
            throw new IllegalArgumentException(
                    "cannot crop %s from the middle of %s; resize it before".formatted(size, image.type()));
        }
        return rows.part(down / 2, across / 2, size.height(), size.width()).toTensor();
    }

    /** The name of a stage. */
    @Override
    public String toString() {
        return "crop the middle %d x %d".formatted(size.height(), size.width());
    }
}
