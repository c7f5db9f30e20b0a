package io.penstock.array;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import java.nio.ByteBuffer;

/** Puts elements into the order that tensors have: lowest byte first, last axis fastest. */
final class ElementOrder {

    private ElementOrder() {}

    /** A copy with every element's bytes turned around. */
    static ByteBuffer turned(ByteBuffer bytes, DType dtype) {
        int size = dtype.bytes();
        ByteBuffer turned = ByteBuffer.allocate(bytes.limit());
        for (int at = 0; at + size <= bytes.limit(); at += size) {
            for (int i = 0; i < size; i++) {
                turned.put(at + i, bytes.get(at + size - 1 - i));
            }
        }
        return turned;
    }

    /** A copy of an array in which the first axis varies fastest, with the last doing so. */
    static byte[] toLastFastest(byte[] columns, Shape shape, DType dtype) {
        int size = dtype.bytes();
        long[] dims = shape.toArray();
        int rank = dims.length;
        int[] steps = new int[rank]; // in bytes of the source
        int step = size;
        for (int axis = 0; axis < rank; axis++) {
            steps[axis] = step;
            step = (int) (step * dims[axis]);
        }
        byte[] rows = new byte[columns.length];
        int[] at = new int[rank];
        int from = 0;
        for (int to = 0; to < rows.length; to += size) {
            System.arraycopy(columns, from, rows, to, size);
            for (int axis = rank - 1; axis >= 0; axis--) {
                from += steps[axis];
                if (++at[axis] < dims[axis]) {
                    break;
                }
                from -= (int) (steps[axis] * dims[axis]);
                at[axis] = 0;
            }
        }
        return rows;
    }
}
