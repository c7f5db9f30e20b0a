package io.penstock.table.internal;

import io.penstock.tensor.DType;
import io.penstock.zarr.internal.element.HalfFloat;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the values of a column, row by row. For each row, {@link #list} is called for every list that begins, and
 * {@link #element} for every element of one, from the outer to the inner; then one of the methods that add a value.
 */
public final class ColumnBuilder {

    private static final VarHandle SHORT = little(short[].class);
    private static final VarHandle INT = little(int[].class);
    private static final VarHandle LONG = little(long[].class);
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 16;

    /** A share of the room that may stay empty: copying what is there would cost more. */
    private static final int SPARE = 16;

    private final ColumnType type;
    private final MemoryBudget budget;
    private final @Nullable Double fill;
    private final long fillBits;
    private final int width;
    private final LongCounts[] lengths;
    private final BitSet nulls = new BitSet();
    private byte[] data = {};
    private int used;
    private int rows;

    /** Lengths of lists, as they grow. */
    private static final class LongCounts {
        private int[] values = {};
        private int size;
    }

    public ColumnBuilder(ColumnType type, @Nullable Double fill, MemoryBudget budget) {
        this.type = type;
        this.fill = fill;
        this.budget = budget;
        this.width = type.dtype().bytes();
        this.lengths = new LongCounts[type.depth()];
        Arrays.setAll(lengths, level -> new LongCounts());
        this.fillBits = fill == null ? 0 : bits(type.dtype(), fill);
    }

    private static VarHandle little(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    static long bits(DType dtype, double value) {
        return switch (dtype) {
            case F64 -> Double.doubleToRawLongBits(value);
            case F32 -> Float.floatToRawIntBits((float) value);
            case F16 -> HalfFloat.toHalf((float) value);
            default -> (long) value;
        };
    }

    /** Makes room for bytes that are expected, so that they are not copied as the room grows. */
    public void expect(long bytes) {
        if (bytes > data.length && bytes <= MAX_ARRAY) {
            budget.take(bytes - data.length);
            data = Arrays.copyOf(data, (int) bytes);
        }
    }

    /** The rows that began. */
    public int rows() {
        return rows;
    }

    /** Begins the next row. */
    public void row() {
        rows++;
    }

    /** Begins an empty list at a level, 0 being the outermost. */
    public void list(int level) {
        LongCounts counts = lengths[level];
        if (counts.size == counts.values.length) {
            int larger = grown(counts.size, counts.size + 1);
            budget.take((long) Integer.BYTES * (larger - counts.size));
            counts.values = Arrays.copyOf(counts.values, larger);
        }
        counts.values[counts.size++] = 0;
    }

    /** Adds an element to the last list of a level. */
    public void element(int level) {
        LongCounts counts = lengths[level];
        counts.values[counts.size - 1]++;
    }

    /** A value, or a list, is null. With no value for nulls, the row cannot be loaded. */
    public void missing(boolean value) {
        if (fill == null) {
            nulls.set(rows - 1);
        }
        if (value) {
            if (type.bytes()) {
                list(type.lists());
            } else {
                add(fillBits);
            }
        }
    }

    /** A row is null. */
    public void missingRow() {
        if (type.lists() > 0) {
            list(0);
            missing(false);
        } else {
            missing(true);
        }
    }

    /** A value by the bits of its dtype. */
    public void add(long bits) {
        int at = reserve(width);
        switch (width) {
            case Byte.BYTES -> data[at] = (byte) bits;
            case Short.BYTES -> SHORT.set(data, at, (short) bits);
            case Integer.BYTES -> INT.set(data, at, (int) bits);
            default -> LONG.set(data, at, bits);
        }
    }

    /** Begins as many rows, and adds the value of each: the remaining bytes of a buffer, as they are. */
    public void addRows(ByteBuffer values, int count) {
        int bytes = values.remaining();
        int at = reserve(bytes);
        values.get(data, at, bytes);
        rows += count;
    }

    /** A value that is bytes. */
    public void add(byte[] from, int offset, int length) {
        int at = reserve(length);
        System.arraycopy(from, offset, data, at, length);
        added(length);
    }

    /** A value that is the remaining bytes of a buffer, whose position stays. */
    public void add(ByteBuffer value) {
        int length = value.remaining();
        int at = reserve(length);
        value.get(value.position(), data, at, length);
        added(length);
    }

    private void added(int length) {
        list(type.lists());
        lengths[type.lists()].values[lengths[type.lists()].size - 1] = length;
    }

    private int reserve(int bytes) {
        int at = used;
        if (bytes > data.length - used) {
            long needed = (long) used + bytes;
            if (needed > MAX_ARRAY) {
                budget.take(Long.MAX_VALUE);
            }
            int larger = grown(data.length, (int) needed);
            budget.take(larger - data.length);
            data = Arrays.copyOf(data, larger);
        }
        used += bytes;
        return at;
    }

    private static int grown(int now, int needed) {
        return Math.min(MAX_ARRAY, Math.max(Math.max(needed, 64), now + (now >>> 1)));
    }

    /** All rows that came. */
    public DecodedColumn build() {
        List<int[]> offsets = Arrays.stream(lengths).map(ColumnBuilder::offsets).toList();
        boolean isFull = used >= data.length - data.length / SPARE;
        return new DecodedColumn(type, isFull ? data : Arrays.copyOf(data, used), offsets, nulls);
    }

    private static int[] offsets(LongCounts counts) {
        int[] offsets = new int[counts.size + 1];
        for (int i = 0; i < counts.size; i++) {
            offsets[i + 1] = offsets[i] + counts.values[i];
        }
        return offsets;
    }
}
