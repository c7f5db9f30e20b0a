package io.penstock.zarr.internal.element;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;

/**
 * How chunks of one shape tile an array; those at the far edges reach over it.
 *
 * @param counts chunks along each axis
 * @param chunk  the shape of each
 */
public record Grid(Shape counts, Shape chunk) {

    public static Grid over(Shape array, Shape chunk) {
        long[] counts = new long[array.rank()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = array.dim(i) / chunk.dim(i) + (array.dim(i) % chunk.dim(i) == 0 ? 0 : 1);
        }
        try {
            return new Grid(Shape.of(counts), chunk);
        } catch (IllegalArgumentException e) {
            throw new FormatException("array %s has too many chunks %s".formatted(array, chunk), e);
        }
    }

    public long size() {
        return counts.elements();
    }

    /** The place of a chunk among the chunks. */
    public long[] coordinates(long index) {
        return coordinates(index, counts);
    }

    public static long[] coordinates(long index, Shape counts) {
        long[] at = new long[counts.rank()];
        long rest = index;
        for (int i = at.length - 1; i >= 0; i--) {
            at[i] = rest % counts.dim(i);
            rest /= counts.dim(i);
        }
        return at;
    }

    public static long index(long[] coordinates, Shape counts) {
        long index = 0;
        for (int i = 0; i < coordinates.length; i++) {
            index = index * counts.dim(i) + coordinates[i];
        }
        return index;
    }

    public long index(long[] coordinates) {
        return index(coordinates, counts);
    }

    /** The first element of a chunk. */
    public long[] corner(long index) {
        return corner(index, counts, chunk);
    }

    public static long[] corner(long index, Shape counts, Shape chunk) {
        long[] at = coordinates(index, counts);
        for (int i = 0; i < at.length; i++) {
            at[i] *= chunk.dim(i);
        }
        return at;
    }
}
