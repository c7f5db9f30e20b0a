package io.penstock.array;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.PlainBytes;
import io.penstock.zarr.internal.codec.Transpose;
import io.penstock.zarr.internal.element.ElementType;
import java.nio.ByteBuffer;

/**
 * The header of an array file.
 *
 * @param dtype     of the elements
 * @param shape     of the whole array
 * @param data      where its first element lies in the file
 * @param bigEndian whether elements of several bytes have their highest first
 * @param fortran   whether the first axis varies fastest
 */
record ArrayHeader(DType dtype, Shape shape, long data, boolean bigEndian, boolean fortran) {

    /**
     * The array's length in bytes. Fails where the file has fewer, before anything of that size is made, and where it has
     * more: a second array, which would be lost.
     */
    long bytes(String name, long fileBytes) {
        long there = fileBytes - data;
        if (shape.elements() > there / dtype.bytes()) {
            throw new FormatException(
                    "%s is cut off: %s%s needs %d elements of %d bytes, it has %d bytes after its header"
                            .formatted(name, dtype, shape, shape.elements(), dtype.bytes(), there));
        }
        long bytes = shape.elements() * dtype.bytes();
        if (bytes != there) {
            throw new FormatException("%s has %d bytes after its %s%s".formatted(name, there - bytes, dtype, shape));
        }
        return bytes;
    }

    /** Whether rows are spread over the file. */
    boolean isByColumns() {
        return fortran && shape.rank() > 1;
    }

    /** A copy of elements that lie by columns, with the last axis fastest. */
    byte[] rows(byte[] columns) {
        return Transpose.reversed(shape.rank())
                .decode(columns, shape, new ElementType("", ElementType.Kind.NUMBER, dtype, 1, false));
    }

    /** Elements with the lowest byte first: the same, or a copy. */
    ByteBuffer littleEndian(ByteBuffer elements) {
        return bigEndian ? PlainBytes.swapped(elements, dtype.bytes()) : elements;
    }

    /** A shape, whose product a file may have made too large for any. */
    static Shape shape(String name, long[] dims) {
        try {
            return Shape.of(dims);
        } catch (IllegalArgumentException e) {
            throw new FormatException("%s has no possible shape: %s".formatted(name, e.getMessage()), e);
        }
    }
}
