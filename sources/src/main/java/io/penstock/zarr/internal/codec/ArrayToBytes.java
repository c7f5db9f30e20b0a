package io.penstock.zarr.internal.codec;

import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;

/** Writes elements one after the other. */
public sealed interface ArrayToBytes extends ZarrCodec permits PlainBytes, VariableTexts, JsonTexts, ShardingCodec {

    /**
     * The elements that lie in the bytes, as many as the shape has.
     * @param max bytes a chunk may have decoded
     */
    Cells decode(byte[] encoded, Shape shape, ElementType type, long max);

    /** The encoded size of elements of this shape: exact for {@link PlainBytes}, the max for any other codec. */
    long encodedBytes(Shape shape, ElementType type, long max);
}
