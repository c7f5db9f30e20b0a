package io.penstock.image;

import io.penstock.image.internal.PixelRows;
import io.penstock.pipeline.FormatException;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** A library that turns compressed pixels into bytes. Thread-safe. */
interface Backend {

    /** The library's name and version. */
    String id();

    /** Whether it can decode a JPEG to a fraction of its size. */
    boolean reduces();

    /**
     * Decodes to red, green and blue, not yet turned to the picture's orientation, and hands the rows to a reader, after
     * which they are gone.
     * @param denominator 1, or for a JPEG that is to be reduced 2, 4 or 8: each side is divided by it and rounded up
     * @throws FormatException if the library cannot
     */
    Tensor decode(ByteBuffer encoded, Header header, int denominator, Function<PixelRows, Tensor> reader);
}
