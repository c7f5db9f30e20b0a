package io.penstock.augment;

import io.penstock.image.internal.PixelRows;
import io.penstock.image.internal.Resampling;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.random.RandomGenerator;

/**
 * Cuts a rectangle of random area and aspect ratio out of an image and resizes it to a fixed size.
 *
 * <p>As torchvision's {@code RandomResizedCrop}: the area is a share of the image's, uniform in {@code scale}. The
 * aspect ratio, width by height, is uniform in the logarithm over {@code ratio}. The first of ten tries that lies in
 * the image is taken; if none does, the largest centred rectangle of a ratio in range. Always draws 22 numbers.
 *
 * <p>The values are those of a crop followed by {@link io.penstock.image.Resize}, to the bit: bilinear, antialiased
 * when the image shrinks, from the rectangle's own pixels alone. The crop itself is not copied.
 *
 * <p>Shapes: {@code u8} or {@code f32[h, w, c]} becomes {@code [height, width, c]}.
 * @see <a href="https://arxiv.org/abs/1409.4842">Szegedy et al., Going deeper with convolutions, section 6</a>
 */
public final class RandomResizedCrop extends Cropping {

    private static final Rectangles USUAL = new Rectangles(0.08, 1, 3.0 / 4, 4.0 / 3);

    private final Rectangles rectangles;

    private RandomResizedCrop(int height, int width, Rectangles rectangles) {
        super(height, width);
        this.rectangles = rectangles;
    }

    /**
     * To this size, in pixels, with areas from 0.08 to 1 and ratios from 3/4 to 4/3.
     * @throws IllegalArgumentException if a length is not positive
     */
    public static RandomResizedCrop of(int height, int width) {
        return new RandomResizedCrop(height, width, USUAL);
    }

    /**
     * The same with another range of areas, as shares of the image's.
     * @throws IllegalArgumentException unless {@code 0 < low <= high <= 1}
     */
    public RandomResizedCrop scale(double low, double high) {
        return new RandomResizedCrop(height(), width(), rectangles.scale("resized-crop scale", low, high));
    }

    /**
     * The same with another range of aspect ratios, width by height.
     * @throws IllegalArgumentException unless {@code 0 < low <= high <= 1000}
     */
    public RandomResizedCrop ratio(double low, double high) {
        return new RandomResizedCrop(height(), width(), rectangles.ratio("resized-crop ratio", low, high));
    }

    @Override
    public Region draw(Shape shape, RandomGenerator random) {
        Image image = Image.of(shape);
        Region drawn = rectangles.draw(image, image.height(), image.width(), random);
        return drawn.isEmpty() ? rectangles.centred(image) : drawn;
    }

    @Override
    CroppedRows rows(Tensor image, Region region) {
        Image size = Image.of(image.shape());
        if (image.dtype() != DType.U8 && image.dtype() != DType.F32) {
            throw new IllegalArgumentException("cannot resize %s; it takes u8 or f32".formatted(image.type()));
        }
        if (region.isEmpty() || !region.fits(size, 0)) {
            throw new IllegalArgumentException(
                    "cannot crop %s out of %s; draw it for an image of this size".formatted(region, size));
        }
        PixelRows part = PixelRows.of(image).part(region.top(), region.left(), region.height(), region.width());
        return CroppedRows.whole(
                image.dtype() == DType.U8
                        ? Resampling.bytes(part, region.height(), region.width(), height(), width())
                        : Resampling.floats(part, height(), width()));
    }

    @Override
    public String name() {
        return "resized-crop=" + size() + rectangles.words(USUAL);
    }
}
