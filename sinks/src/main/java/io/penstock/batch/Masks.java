package io.penstock.batch;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;

/** The masks of n rows, of any number of valid ones: windows over n ones before n zeros. */
final class Masks {

    private final int rows;
    private final ByteBuffer bits;

    Masks(int rows) {
        this.rows = rows;
        this.bits = ByteBuffer.allocateDirect(2 * rows);
        for (int i = 0; i < rows; i++) {
            bits.put(i, (byte) 1);
        }
    }

    int rows() {
        return rows;
    }

    /** {@code bool[rows]}, the first {@code valid} of them true. */
    Tensor of(int valid) {
        return Tensor.of(DType.BOOL, Shape.of(rows), bits.slice(rows - valid, rows));
    }
}
