package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.element.ElementType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Elements of one width, one after the other. */
public record PlainBytes(boolean bigEndian) implements ArrayToBytes {

    @Override
    public String name() {
        return "bytes";
    }

    @Override
    public byte[] decode(byte[] encoded, Shape shape, ElementType type, long max) {
        long needed = encodedBytes(shape, type, max);
        if (encoded.length != needed) {
            throw new FormatException(
                    "%s%s needs %d bytes, came %d".formatted(type.name(), shape, needed, encoded.length));
        }
        return bigEndian ? swapped(ByteBuffer.wrap(encoded), type.swapBytes()).array() : encoded;
    }

    /** A copy of numbers of this many bytes with the bytes of each turned around. */
    public static ByteBuffer swapped(ByteBuffer bytes, int width) {
        ByteBuffer from = bytes.slice().order(ByteOrder.BIG_ENDIAN);
        ByteBuffer to = ByteBuffer.allocate(from.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        switch (width) {
            case Short.BYTES -> to.asShortBuffer().put(from.asShortBuffer());
            case Integer.BYTES -> to.asIntBuffer().put(from.asIntBuffer());
            case Long.BYTES -> to.asLongBuffer().put(from.asLongBuffer());
            default -> to.duplicate().put(from);
        }
        return to;
    }

    @Override
    public long encodedBytes(Shape shape, ElementType type, long max) {
        return shape.elements() * type.width();
    }
}
