package io.penstock.tensor;

import java.util.Arrays;

/** The lengths of a tensor's axes, slowest first; no axes at all is a scalar. Immutable. */
public final class Shape {

    /** The shape of a single value. */
    public static final Shape SCALAR = new Shape(new long[0]);

    private final long[] dims;
    private final long elements;

    private Shape(long[] dims) {
        long product = 1;
        for (long dim : dims) {
            if (dim < 0) {
                throw new IllegalArgumentException("axis length must not be negative: " + Arrays.toString(dims));
            }
            // an empty axis empties the array, so lengths beyond it cannot overflow anything
            product = product == 0 || dim == 0 ? 0 : multiply(product, dim, dims);
        }
        this.dims = dims;
        this.elements = product;
    }

    private static long multiply(long product, long dim, long[] dims) {
        long high = Math.multiplyHigh(product, dim);
        long low = product * dim;
        if (high != 0 || low < 0) {
            throw new IllegalArgumentException("shape has more than 2^63 elements: " + Arrays.toString(dims));
        }
        return low;
    }

    /**
     * A shape of these axis lengths.
     * @throws IllegalArgumentException if a length is negative or the element count overflows 63 bits
     */
    public static Shape of(long... dims) {
        return dims.length == 0 ? SCALAR : new Shape(dims.clone());
    }

    /** The number of axes. */
    public int rank() {
        return dims.length;
    }

    /** The length of one axis, counted from the slowest. */
    public long dim(int axis) {
        return dims[axis];
    }

    /** The number of elements: the product of all axis lengths, 1 for a scalar. */
    public long elements() {
        return elements;
    }

    /** This shape behind a new first axis: {@code [h, w, c]} becomes {@code [length, h, w, c]}. */
    public Shape prepend(long length) {
        long[] longer = new long[dims.length + 1];
        longer[0] = length;
        System.arraycopy(dims, 0, longer, 1, dims.length);
        return new Shape(longer);
    }

    /** This shape without its first axis: {@code [n, h, w, c]} becomes {@code [h, w, c]}. */
    public Shape dropFirst() {
        if (dims.length == 0) {
            throw new IllegalStateException("a scalar has no first axis");
        }
        return dims.length == 1 ? SCALAR : new Shape(Arrays.copyOfRange(dims, 1, dims.length));
    }

    /** The axis lengths, in a new array. */
    public long[] toArray() {
        return dims.clone();
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Shape shape && Arrays.equals(dims, shape.dims);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dims);
    }

    @Override
    public String toString() {
        return Arrays.toString(dims);
    }
}
