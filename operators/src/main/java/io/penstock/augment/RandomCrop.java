package io.penstock.augment;

import io.penstock.internal.Arguments;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.random.RandomGenerator;

/**
 * Cuts a rectangle of a fixed size out of an image, with all positions equally likely.
 *
 * <p>Shapes: any dtype {@code [h, w, c]} becomes {@code [height, width, c]}. Draws two numbers. Copies row by row.
 * Padding is added on all four sides before the crop, as in torchvision's {@code RandomCrop}.
 */
public final class RandomCrop extends Cropping {

    private final int pixels;
    private final Padding padding;

    private RandomCrop(int height, int width, int pixels, Padding padding) {
        super(height, width);
        this.pixels = pixels;
        this.padding = padding;
    }

    /**
     * A crop of this size, in pixels, from inside the image.
     * @throws IllegalArgumentException if a length is not positive
     */
    public static RandomCrop of(int height, int width) {
        return new RandomCrop(height, width, 0, Padding.ZERO);
    }

    /** The same with zeros around the image; see {@link #padding(int, Padding)}. */
    public RandomCrop padding(int around) {
        return padding(around, Padding.ZERO);
    }

    /**
     * The same with this number of pixels on each side of the image.
     * @throws IllegalArgumentException if {@code around} is negative or beyond 2^20
     */
    public RandomCrop padding(int around, Padding kind) {
        Arguments.refuse(around < 0 || around > 1 << 20, "padding must be in [0, 2^20], was %s", around);
        return new RandomCrop(height(), width(), around, kind);
    }

    /**
     * {@inheritDoc}
     * @throws IllegalArgumentException if the image, with its padding, is smaller than the crop
     */
    @Override
    public Region draw(Shape shape, RandomGenerator random) {
        Image image = Image.of(shape);
        int down = image.height() + 2 * pixels - height();
        int right = image.width() + 2 * pixels - width();
        if (down < 0 || right < 0) {
            throw tooLarge(image);
        }
        int top = RandomNumbers.below(random, down + 1) - pixels;
        int left = RandomNumbers.below(random, right + 1) - pixels;
        return new Region(top, left, height(), width());
    }

    private IllegalArgumentException tooLarge(Image image) {
        String padded = pixels == 0 ? "" : " padded by " + pixels;
        String more = pixels == 0 ? "pad" : "pad more";
        return new IllegalArgumentException("cannot crop %d × %d out of %s%s; resize to at least that or %s"
                .formatted(height(), width(), image, padded, more));
    }

    boolean reflects() {
        return padding == Padding.REFLECT;
    }

    @Override
    CroppedRows rows(Tensor tensor, Region region) {
        Image image = Image.of(tensor.shape());
        if (region.isEmpty() || !region.fits(image, pixels)) {
            throw new IllegalArgumentException(
                    "cannot crop %s out of %s; draw it for an image of this size".formatted(region, image));
        }
        if (padding == Padding.REFLECT && pixels >= Math.min(image.height(), image.width())) {
            throw new IllegalArgumentException(
                    "cannot mirror %d pixels around an image of %s; pad less or with zeros".formatted(pixels, image));
        }
        return new CroppedRows(tensor, region, padding);
    }

    @Override
    public String name() {
        String pad = pixels == 0 ? "" : ":pad=" + pixels;
        return "crop=" + size() + pad + (pixels > 0 && padding == Padding.REFLECT ? ":reflect" : "");
    }
}
