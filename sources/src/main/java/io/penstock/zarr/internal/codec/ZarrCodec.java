package io.penstock.zarr.internal.codec;

import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;

/** One step between an array's elements and stored bytes; the three kinds can only be chained in their order. */
public sealed interface ZarrCodec {

    /** The name in metadata and messages. */
    String name();

    /** Rearranges or re-encodes elements. */
    sealed interface ArrayToArray extends ZarrCodec permits Transpose, NumberFilter.Elementwise {

        Shape encodedShape(Shape decoded);

        ElementType encodedType(ElementType decoded);

        Cells decode(Cells encoded, Shape decodedShape);
    }

    /** Writes elements one after the other. */
    sealed interface ArrayToBytes extends ZarrCodec permits PlainBytes, VariableTexts, JsonTexts, ShardingCodec {

        /**
         * The elements that lie in the bytes, as many as the shape has.
         * @param max bytes a chunk may have decoded
         */
        Cells decode(byte[] encoded, Shape shape, ElementType type, long max);

        /** The encoded size of elements of this shape: exact for {@link PlainBytes}, the max for any other codec. */
        long encodedBytes(Shape shape, ElementType type, long max);
    }

    /** Compresses, checks or shuffles bytes without knowing what they are. */
    sealed interface BytesToBytes extends ZarrCodec
            permits Compressor, ChecksumCodec, Shuffle, NumberFilter, PackBits, Codecs.Unchanged {

        /**
         * The decoded bytes: never more than {@code max} of them, even if the encoded ones claim more.
         * @throws io.penstock.fault.FormatException if they are broken, or would be more
         */
        byte[] decode(byte[] encoded, int max);

        /** The encoded size, given the decoded size: the max for a {@link Compressor}, exact for any other codec. */
        long encodedBytes(long decoded);
    }
}
