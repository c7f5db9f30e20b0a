package io.penstock.image;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;

/** What every operation on pictures asks of its input. */
final class Pixels {

    static final int MAX_BYTES = Integer.MAX_VALUE - 64;

    private Pixels() {}

    /** The shape of a picture that has pixels. */
    static Shape shapeOf(Tensor image, String verb) {
        Shape shape = image.shape();
        if (image.dtype() != DType.U8 || shape.rank() != 3) {
            throw new IllegalArgumentException("cannot %s %s: wanted u8[h, w, c]".formatted(verb, image));
        }
        if (shape.elements() == 0) {
            throw new IllegalArgumentException("cannot %s %s: it has no pixels".formatted(verb, image));
        }
        return shape;
    }

    /** A length that an array can have. */
    static int arrayLength(long bytes) {
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("a picture has at most %d bytes, wanted %d".formatted(MAX_BYTES, bytes));
        }
        return (int) bytes;
    }
}
