package io.penstock.batch;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;

/** Copies a tensor into the corner of a larger one, run by run: as many bytes at a time as lie together in both. */
final class Padding {

    private final ByteBuffer source;
    private final Shape from;
    private final long[] strides; // of the larger tensor, in bytes
    private final int runAxis;
    private final int run;
    private int read;

    private Padding(Tensor tensor, Shape to) {
        this.source = tensor.data();
        this.from = tensor.shape();
        this.strides = new long[to.rank()];
        long stride = tensor.dtype().bytes();
        int axis = to.rank() - 1;
        for (int i = axis; i >= 0; i--) {
            strides[i] = stride;
            stride *= to.dim(i);
        }
        while (axis > 0 && from.dim(axis) == to.dim(axis)) {
            axis--;
        }
        this.runAxis = axis;
        this.run = Math.toIntExact(from.dim(axis) * strides[axis]);
    }

    /** From a tensor into a shape with as many axes, each at least as long. */
    static Padding of(Tensor tensor, Shape to) {
        return new Padding(tensor, to);
    }

    void copyTo(ByteBuffer target, int offset) {
        read = 0;
        if (from.elements() > 0) {
            copy(0, target, offset);
        }
    }

    private void copy(int axis, ByteBuffer target, int offset) {
        if (axis == runAxis) {
            target.put(offset, source, read, run);
            read += run;
            return;
        }
        for (long i = 0; i < from.dim(axis); i++) {
            copy(axis + 1, target, offset + (int) (i * strides[axis]));
        }
    }
}
