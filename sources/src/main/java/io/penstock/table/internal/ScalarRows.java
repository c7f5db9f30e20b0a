package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * The numbers of a row group, row by row. Shuffled rows of many columns would wait for memory once a column otherwise:
 * 40 columns took 2.8 µs a row.
 */
final class ScalarRows {

    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);

    /** Of an array: rows are written to it column by column, so it should stay in a processor's cache. */
    private static final int MAX_BYTES = 64 << 10;

    private final int width;
    private final int shift;
    private final byte[][] arrays;

    /**
     * Copies the numbers of some columns.
     * @throws FormatException if the budget has no room for them
     */
    ScalarRows(List<DecodedColumn> columns, int rows, MemoryBudget budget) {
        this.width = columns.stream()
                .mapToInt(column -> column.type().dtype().bytes())
                .sum();
        this.shift = Math.max(0, 31 - Integer.numberOfLeadingZeros(MAX_BYTES / Math.max(1, width)));
        budget.take((long) width * rows);
        int each = 1 << shift;
        this.arrays = new byte[width == 0 ? 0 : (rows + each - 1) >> shift][];
        for (int i = 0; i < arrays.length; i++) {
            int first = i << shift;
            int count = Math.min(each, rows - first);
            arrays[i] = new byte[count * width];
            int at = 0;
            for (DecodedColumn column : columns) {
                int bytes = column.type().dtype().bytes();
                scatter(column.data(), first, bytes, arrays[i], at, count);
                at += bytes;
            }
        }
    }

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    private void scatter(byte[] from, int first, int bytes, byte[] to, int at, int count) {
        for (int i = 0; i < count; i++) {
            int source = (first + i) * bytes;
            int target = at + i * width;
            switch (bytes) {
                case Byte.BYTES -> to[target] = from[source];
                case Short.BYTES -> SHORT.set(to, target, (short) SHORT.get(from, source));
                case Integer.BYTES -> INT.set(to, target, (int) INT.get(from, source));
                default -> LONG.set(to, target, (long) LONG.get(from, source));
            }
        }
    }

    /** The numbers of a row, in the order of their columns: a copy. */
    byte[] row(int row) {
        if (width == 0) {
            return new byte[0];
        }
        int from = (row & (1 << shift) - 1) * width;
        return Arrays.copyOfRange(arrays[row >> shift], from, from + width);
    }

    /** What this takes in memory. */
    long bytes() {
        return Arrays.stream(arrays).mapToLong(array -> array.length).sum();
    }
}
