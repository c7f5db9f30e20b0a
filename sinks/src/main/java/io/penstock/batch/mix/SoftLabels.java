package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.internal.Arguments;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/** The labels of a batch as shares of classes, {@code f32[n, classes]}: of numbers of classes, or of shares already. */
record SoftLabels(String field, int classes) {

    SoftLabels {
        Arguments.refuse(classes < 1, "there must be at least 1 class, was %s", classes);
    }

    /** Each row's label, {@code keep} of its own and the rest of its partner's; zeros in rows that are padding. */
    Tensor mixed(Batch batch, int[] partners, double keep, IntFunction<ByteBuffer> memory) {
        Tensor labels = batch.tensor(field);
        int rows = Math.toIntExact(labels.shape().dim(0));
        ByteBuffer shares = memory.apply(rows * classes * Float.BYTES);
        for (int i = 0; i < rows * classes; i++) {
            shares.putFloat(i * Float.BYTES, 0);
        }
        for (int row = 0; row < batch.size(); row++) {
            add(labels, row, (float) keep, shares, row);
            add(labels, partners[row], (float) (1 - keep), shares, row);
        }
        return Tensor.of(DType.F32, Shape.of(rows, classes), shares);
    }

    private void add(Tensor labels, int from, float share, ByteBuffer shares, int to) {
        if (isShares(labels)) {
            for (int c = 0; c < classes; c++) {
                add(share * (float) labels.doubleAt(from * classes + c), shares, to * classes + c);
            }
        } else {
            long label = labels.longAt(from);
            if (label < 0 || label >= classes) {
                throw new IllegalArgumentException("label of row %d in field \"%s\" must be in [0, %d), was %d"
                        .formatted(from, field, classes, label));
            }
            add(share, shares, to * classes + (int) label);
        }
    }

    private static void add(float value, ByteBuffer shares, int at) {
        shares.putFloat(at * Float.BYTES, shares.getFloat(at * Float.BYTES) + value);
    }

    private boolean isShares(Tensor labels) {
        Shape shape = labels.shape();
        boolean real = labels.dtype() == DType.F32 || labels.dtype() == DType.F64;
        if (real && shape.rank() == 2 && shape.dim(1) == classes) {
            return true;
        }
        if (!real && shape.elements() == shape.dim(0)) {
            return false;
        }
        throw new IllegalArgumentException(
                "labels in field \"%s\" must be a whole number a row, or f32[n, %d]; they are %s"
                        .formatted(field, classes, labels.type()));
    }
}
