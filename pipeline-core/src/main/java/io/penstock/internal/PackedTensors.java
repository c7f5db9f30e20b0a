package io.penstock.internal;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a value, of which the scalars share one array. A row of forty numbers is three objects so. The tensor
 * of a scalar is made when it is asked for; a batch copies scalars without one. Immutable.
 */
public final class PackedTensors extends AbstractList<Tensor> implements RandomAccess {

    private static final VarHandle SHORTS = ofArrays(short[].class);
    private static final VarHandle INTS = ofArrays(int[].class);
    private static final VarHandle LONGS = ofArrays(long[].class);
    private static final VarHandle SHORTS_IN_BUFFERS = ofBuffers(short[].class);
    private static final VarHandle INTS_IN_BUFFERS = ofBuffers(int[].class);
    private static final VarHandle LONGS_IN_BUFFERS = ofBuffers(long[].class);

    private final Layout layout;
    private final byte[] scalars;
    private final List<Tensor> others;

    /** Which fields of a kind of values are scalars, and where they lie. Immutable. */
    public static final class Layout {

        private final @Nullable DType[] dtypes;
        private final int[] places; // where a scalar begins, or which of the other tensors a field is
        private final int[] widths; // 0 of a field with a tensor of its own
        private final int bytes;
        private final int others;

        /** @param scalars what each field is a scalar of; null if it has a tensor of its own */
        public Layout(List<@Nullable DType> scalars) {
            this.dtypes = scalars.toArray(DType[]::new);
            this.places = new int[dtypes.length];
            this.widths = new int[dtypes.length];
            int at = 0;
            int apart = 0;
            for (int field = 0; field < dtypes.length; field++) {
                DType dtype = dtypes[field];
                places[field] = dtype == null ? apart++ : at;
                widths[field] = dtype == null ? 0 : dtype.bytes();
                at += widths[field];
            }
            this.bytes = at;
            this.others = apart;
        }

        /** The size of all scalars. */
        public int bytes() {
            return bytes;
        }

        /** How many fields have a tensor of their own. */
        public int others() {
            return others;
        }
    }

    /**
     * A value of a layout.
     * @param scalars one after the other, little-endian; not copied, so nothing may write to them any more
     * @param others  the other fields, in their order
     * @throws IllegalArgumentException if there are more or fewer than the layout has
     */
    public PackedTensors(Layout layout, byte[] scalars, List<Tensor> others) {
        if (scalars.length != layout.bytes || others.size() != layout.others) {
            throw new IllegalArgumentException("a value has %d bytes of scalars and %d other fields, was %d and %d"
                    .formatted(layout.bytes, layout.others, scalars.length, others.size()));
        }
        this.layout = layout;
        this.scalars = scalars;
        this.others = others;
    }

    private static VarHandle ofArrays(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    private static VarHandle ofBuffers(Class<?> array) {
        return MethodHandles.byteBufferViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    public Layout layout() {
        return layout;
    }

    @Override
    public int size() {
        return layout.dtypes.length;
    }

    @Override
    public Tensor get(int field) {
        DType dtype = layout.dtypes[Objects.checkIndex(field, layout.dtypes.length)];
        int place = layout.places[field];
        return dtype == null
                ? others.get(place)
                : Tensor.of(dtype, Shape.SCALAR, ByteBuffer.wrap(scalars, place, dtype.bytes()));
    }

    /** Whether a field is a scalar, which {@link #copy} copies. */
    public boolean isScalar(int field) {
        return layout.widths[field] > 0;
    }

    /**
     * Copies a scalar of some rows to where they lie in a buffer, one after the other; its position stays.
     * @param rows of one layout
     */
    public static void copy(PackedTensors[] rows, int count, int field, ByteBuffer target, int at) {
        if (count == 0) {
            return;
        }
        int place = rows[0].layout.places[field];
        int width = rows[0].layout.widths[field];
        for (int row = 0; row < count; row++) {
            byte[] from = rows[row].scalars;
            int to = at + row * width;
            switch (width) {
                case Byte.BYTES -> target.put(to, from[place]);
                case Short.BYTES -> SHORTS_IN_BUFFERS.set(target, to, (short) SHORTS.get(from, place));
                case Integer.BYTES -> INTS_IN_BUFFERS.set(target, to, (int) INTS.get(from, place));
                case Long.BYTES -> LONGS_IN_BUFFERS.set(target, to, (long) LONGS.get(from, place));
                default -> throw new IllegalArgumentException("field %d is no scalar".formatted(field));
            }
        }
    }
}
