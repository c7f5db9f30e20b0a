package io.penstock.array;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;

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

    /** The array's length in bytes; fails where the file has fewer, before anything of that size is made. */
    long bytes(String name, long fileBytes) {
        long there = fileBytes - data;
        if (shape.elements() > there / dtype.bytes()) {
            throw new FormatException(
                    "%s is cut off: %s%s needs %d elements of %d bytes, it has %d bytes after its header"
                            .formatted(name, dtype, shape, shape.elements(), dtype.bytes(), there));
        }
        return shape.elements() * dtype.bytes();
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
