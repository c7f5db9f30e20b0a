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

    /** What its values take in memory. */
    long bytes() {
        long bytes = data.length;
        for (int[] level : offsets) {
            bytes += (long) Integer.BYTES * level.length;
        }
        return bytes;
    }

    /** Whether each row has one number. */
    boolean isScalar() {
        return offsets.isEmpty();
    }

    /** Adds the tensors of a row's lists: copies, so that a sample does not keep its row group in memory. */
    void addTo(List<Tensor> tensors, int row) {
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
        byte[] own = Arrays.copyOfRange(data, from * width, to * width);
        tensors.add(at, Tensor.of(type.dtype(), Shape.of(to - from), ByteBuffer.wrap(own)));
    }

    private static Tensor lengths(int[] starts, int from, int to) {
        int[] lengths = new int[to - from];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = starts[from + i + 1] - starts[from + i];
        }
        return Tensor.ofInts(lengths);
    }
}
