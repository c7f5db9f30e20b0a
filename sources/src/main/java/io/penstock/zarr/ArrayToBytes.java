package io.penstock.zarr;

import io.penstock.tensor.Shape;

/** Writes elements one after the other. */
sealed interface ArrayToBytes extends ZarrCodec permits PlainBytes, VariableTexts, JsonTexts, Sharding {

    /**
     * The elements that lie in the bytes, as many as the shape has.
     * @param most bytes a chunk may have decoded
     */
    Cells decode(byte[] encoded, Shape shape, ElementType type, long most);

    /** How many bytes elements of this shape are at most; exactly so many where {@link #isExact}. */
    long encodedBytes(Shape shape, ElementType type, long most);

    /** Whether the number of bytes follows from shape and type. */
    boolean isExact();
}
