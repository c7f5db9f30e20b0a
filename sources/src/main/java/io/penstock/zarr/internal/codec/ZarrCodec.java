package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.element.ElementType;
import java.io.EOFException;
import java.io.IOException;
import java.util.function.LongUnaryOperator;

/**
 * One step between an array's elements and stored bytes; the three kinds can only be chained in their order. The elements
 * of a chunk are bytes as {@link io.penstock.zarr.internal.element.ChunkTensor} lays them out.
 */
public sealed interface ZarrCodec {

    /** The name in metadata and messages. */
    String name();

    /** Rearranges or re-encodes elements. */
    sealed interface ArrayToArray extends ZarrCodec permits Transpose, NumberFilter {

        Shape encodedShape(Shape decoded);

        ElementType encodedType(ElementType decoded);

        byte[] decode(byte[] encoded, Shape decodedShape, ElementType decodedType);
    }

    /** Writes elements one after the other. */
    sealed interface ArrayToBytes extends ZarrCodec permits PlainBytes, Texts, ShardingCodec {

        /**
         * The elements that lie in the bytes, as many as the shape has.
         * @param max bytes a chunk may have decoded
         */
        byte[] decode(byte[] encoded, Shape shape, ElementType type, long max);

        /** The encoded size of elements of this shape: exact for {@link PlainBytes}, the max for any other codec. */
        long encodedBytes(Shape shape, ElementType type, long max);
    }

    /**
     * Compresses, checks or shuffles bytes without knowing what they are.
     *
     * @param isExact whether the decoded size decides the encoded one; for a compressor it does not
     * @param sizes   the encoded size of a decoded one: the max where it is not exact
     */
    record BytesToBytes(String name, boolean isExact, LongUnaryOperator sizes, Decoder decoder) implements ZarrCodec {

        /** Decodes to at most {@code max} bytes, even if the encoded ones claim more. */
        public interface Decoder {
            byte[] decode(byte[] encoded, int max) throws IOException;
        }

        static BytesToBytes exact(String name, LongUnaryOperator sizes, Decoder decoder) {
            return new BytesToBytes(name, true, sizes, decoder);
        }

        static BytesToBytes compressor(String name, Decoder decoder) {
            return new BytesToBytes(name, false, decoded -> decoded + decoded / 4 + (1 << 16), decoder);
        }

        /**
         * The decoded bytes: never more than {@code max} of them.
         * @throws FormatException if they are broken, or would be more; it names the codec
         */
        public byte[] decode(byte[] encoded, int max) {
            if (isExact && encoded.length > sizes.applyAsLong(max)) {
                throw new FormatException(
                        "%s: at most %d bytes are expected, came %d".formatted(name, max, encoded.length));
            }
            try {
                return decoder.decode(encoded, max);
            } catch (EOFException e) {
                throw new FormatException(
                        "%s: bytes are damaged: they end early, after %d".formatted(name, encoded.length), e);
            } catch (FormatException e) {
                throw new FormatException("%s: %s".formatted(name, e.getMessage()), e);
            } catch (IOException | RuntimeException e) { // those of optional libraries have no name here
                throw new FormatException("%s: bytes are damaged: %s".formatted(name, Compressors.reason(e)), e);
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
