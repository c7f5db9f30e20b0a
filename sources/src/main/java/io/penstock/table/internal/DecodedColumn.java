package io.penstock.table.internal;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The values of a column in one row group.
 *
 * @param data    the elements, little-endian
 * @param offsets for each level of lists, where each list begins in the next level, and at last where the last one ends
 * @param nulls   rows that have a null for which there is no value
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record DecodedColumn(ColumnType type, byte[] data, List<int[]> offsets, BitSet nulls) {

    /** What this takes in memory. */
    public long bytes() {
        long bytes = (long) data.length + nulls.size() / Byte.SIZE;
        for (int[] level : offsets) {
            bytes += (long) Integer.BYTES * level.length;
        }
        return bytes;
    }

    /** Adds the tensors of a row: copies, so that a sample does not keep its row group in memory. */
    public void addTo(List<Tensor> tensors, int row) {
        int width = type.dtype().bytes();
        int from = row;
        int to = row + 1;
        int at = tensors.size();
        for (int level = 0; level < offsets.size(); level++) {
            int[] starts = offsets.get(level);
            if (level > 0) {
                tensors.add(lengths(starts, from, to));
            }
            from = starts[from];
            to = starts[to];
        }
        Shape shape = offsets.isEmpty() ? Shape.SCALAR : Shape.of(to - from);
        byte[] own = Arrays.copyOfRange(data, from * width, to * width);
        tensors.add(at, Tensor.of(type.dtype(), shape, ByteBuffer.wrap(own)));
    }

    private static Tensor lengths(int[] starts, int from, int to) {
        int[] lengths = new int[to - from];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = starts[from + i + 1] - starts[from + i];
        }
        return Tensor.ofInts(lengths);
    }
}
