package io.penstock.image.internal;

/** Changes the pixels of a row in place. */
public interface RowKernel {

    void apply(byte[] row, int from, int to);
}
