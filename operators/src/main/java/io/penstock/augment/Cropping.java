package io.penstock.augment;

import io.penstock.tensor.Tensor;

/** Selects a rectangle of an image and makes an image of a fixed size from it. */
abstract sealed class Cropping implements ImageTransform<Region> permits RandomCrop, RandomResizedCrop {

    private final int height;
    private final int width;

    Cropping(int height, int width) {
        if (height < 1 || width < 1 || (long) height * width > Integer.MAX_VALUE / 4) {
            throw new IllegalArgumentException(
                    "crop must be at least 1 × 1 and of less than 2^29 pixels, was %d × %d".formatted(height, width));
        }
        this.height = height;
        this.width = width;
    }

    final int height() {
        return height;
    }

    final int width() {
        return width;
    }

    final String size() {
        return height == width ? Integer.toString(height) : height + "x" + width;
    }

    /** The rows of the new image. */
    abstract CroppedRows rows(Tensor image, Region region);

    @Override
    public final Tensor apply(Tensor image, Region region) {
        return new Pass(rows(image, region)).run();
    }

    @Override
    public final String toString() {
        return name();
    }
}
