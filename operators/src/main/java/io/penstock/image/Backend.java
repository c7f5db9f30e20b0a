package io.penstock.image;

import io.penstock.fault.FormatException;
import io.penstock.image.internal.PixelRows;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** A library that decodes images. Thread-safe. */
interface Backend {

    /** The library's name and version. */
    String id();

    /** Whether it can decode a JPEG to a fraction of its size. */
    boolean reduces();

    /**
     * Decodes to red, green and blue, without applying the orientation, and calls a reader with the rows. The rows are
     * valid during that call only.
     * @param denominator 1, or 2, 4 or 8 to reduce a JPEG: each side is divided by it and rounded up
     * @throws FormatException if the library cannot
     */
    Tensor decode(ByteBuffer encoded, Header header, int denominator, Function<PixelRows, Tensor> reader);
}
