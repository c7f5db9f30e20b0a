package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;

/** Elements of one width, one after the other. */
public record PlainBytes(boolean bigEndian) implements ArrayToBytes {

    @Override
    public String name() {
        return "bytes";
    }

    @Override
    public Cells decode(byte[] encoded, Shape shape, ElementType type, long max) {
        long needed = encodedBytes(shape, type, max);
        if (encoded.length != needed) {
            throw new FormatException(
                    "%s%s needs %d bytes, came %d".formatted(type.name(), shape, needed, encoded.length));
        }
        return new Cells.Fixed(bigEndian ? swapped(encoded, type.swapBytes()) : encoded, type.width());
    }

    private static byte[] swapped(byte[] bytes, int width) {
        if (width == 1) {
            return bytes;
        }
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i += width) {
            for (int b = 0; b < width; b++) {
                result[i + b] = bytes[i + width - 1 - b];
            }
        }
        return result;
    }

    @Override
    public long encodedBytes(Shape shape, ElementType type, long max) {
        return shape.elements() * type.width();
    }
}
