package io.penstock.augment;

import io.penstock.tensor.Shape;

/** The size of an image that can be augmented. */
record Image(int height, int width, int channels) {

    static Image of(Shape shape) {
        if (shape.rank() != 3 || shape.elements() == 0) {
            throw new IllegalArgumentException("cannot augment a tensor of shape " + shape
                    + "; an image is [height, width, channels], none of them 0");
        }
        return new Image(length(shape, 0), length(shape, 1), length(shape, 2));
    }

    private static int length(Shape shape, int axis) {
        if (shape.dim(axis) > Integer.MAX_VALUE / 4) {
            throw new IllegalArgumentException("cannot augment an image of shape " + shape + "; it is too large");
        }
        return (int) shape.dim(axis);
    }

    Image resized(int newHeight, int newWidth) {
        return new Image(newHeight, newWidth, channels);
    }

    Image transposed() {
        return new Image(/* height= */ width, /* width= */ height, channels);
    }

    Region whole() {
        return new Region(0, 0, height, width);
    }

    Shape shape() {
        return Shape.of(height, width, channels);
    }

    @Override
    public String toString() {
        return height + " × " + width;
    }
}
