package io.penstock.batch.internal;

import io.penstock.batch.Batches;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of different shapes, held until all are there and the largest is known, then copied and padded with zeros.
 *
 * <p>Beside each field with axes go its rows' own lengths; see {@link Batches#padShapes}.
 */
final class PaddedSlot extends Slot {

    private final List<List<Tensor>> held = new ArrayList<>();
    private @Nullable ByteBuffer[] buffers;
    private long first;

    PaddedSlot(Memory memory) {
        super(memory);
        this.buffers = new ByteBuffer[memory.names().size()];
    }

    static String length(String field) {
        return field + ".length";
    }

    static String shape(String field) {
        return field + ".shape";
    }

    @Override
    void put(long index, List<Tensor> row) {
        if (held.isEmpty()) {
            first = index;
        } else {
            check(index, row);
        }
        held.add(row);
    }

    private void check(long index, List<Tensor> row) {
        List<Tensor> reference = held.get(0);
        for (int field = 0; field < row.size(); field++) {
            Tensor had = reference.get(field);
            Tensor has = row.get(field);
            if (had.dtype() != has.dtype() || had.shape().rank() != has.shape().rank()) {
                throw Layout.of(first, reference, memory)
                        .mismatch(memory.names().get(field), field, first, index, has);
            }
        }
    }

    @Override
    public int rows() {
        return held.size();
    }

    @Override
    Map<String, Tensor> stacked(int wanted) {
        Layout layout = held.isEmpty() ? memory.latest() : Layout.around(first, held, memory);
        if (layout == null) {
            return unknown(wanted);
        }
        memory.latest(layout);
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (int field = 0; field < layout.fields(); field++) {
            ByteBuffer buffer = memory.fit(buffers[field], layout, field, Math.max(memory.rows(), wanted));
            buffers[field] = buffer;
            copy(layout, field, buffer, wanted);
            tensors.put(memory.names().get(field), layout.stacked(field, buffer, wanted));
        }
        for (int field = 0; field < layout.fields(); field++) {
            if (layout.shape(field).rank() > 0) {
                String name = memory.names().get(field);
                tensors.put(length(name), lengths(field, 1, wanted).reshape(Shape.of(wanted)));
                if (layout.shape(field).rank() > 1) {
                    tensors.put(shape(name), lengths(field, layout.shape(field).rank(), wanted));
                }
            }
        }
        return Collections.unmodifiableMap(tensors);
    }

    private void copy(Layout layout, int field, ByteBuffer buffer, int wanted) {
        Shape largest = layout.shape(field);
        int bytes = Math.toIntExact(layout.rowBytes(field));
        for (int row = 0; row < held.size(); row++) {
            Tensor tensor = held.get(row).get(field);
            if (tensor.shape().equals(largest)) {
                memory.copy(field, tensor, largest, buffer, row * bytes);
            } else {
                Memory.zero(buffer, row * bytes, (row + 1) * bytes);
                if (memory.form(field) == RowForm.CHANNELS_FIRST) {
                    memory.copy(field, tensor, largest, buffer, row * bytes);
                } else {
                    new CornerCopy(tensor, largest, memory.form(field)).copyTo(buffer, row * bytes);
                }
            }
        }
        memory.blank(field, buffer, held.size() * bytes, wanted * bytes);
    }

    /** The rows' own lengths along their first axes, {@code i32[wanted, axes]}. */
    private Tensor lengths(int field, int axes, int wanted) {
        ByteBuffer lengths =
                ByteBuffer.allocateDirect(wanted * axes * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (List<Tensor> row : held) {
            Shape shape = memory.form(field).shape(row.get(field).shape());
            for (int axis = 0; axis < axes; axis++) {
                lengths.putInt(Math.toIntExact(shape.dim(axis)));
            }
        }
        return Tensor.of(DType.I32, Shape.of(wanted, axes), lengths.rewind());
    }

    @Override
    public void clear() {
        held.clear();
    }

    @Override
    void forget() {
        buffers = new ByteBuffer[buffers.length];
    }

    /** Copies a tensor into the corner of a larger one: as many elements at a time as lie together in both. */
    private static final class CornerCopy {

        private final Tensor tensor;
        private final ByteBuffer source;
        private final Shape from;
        private final RowForm form;
        private final long[] strides; // of the larger tensor, in bytes
        private final int runAxis;
        private final int run; // in elements, as is what was read
        private int read;

        /** From a tensor into a shape with as many axes, each at least as long. */
        CornerCopy(Tensor tensor, Shape to, RowForm form) {
            this.tensor = tensor;
            this.form = form;
            this.source = tensor.data();
            this.from = tensor.shape();
            this.strides = new long[to.rank()];
            long stride = form.dtype(tensor.dtype()).bytes();
            int axis = to.rank() - 1;
            for (int i = axis; i >= 0; i--) {
                strides[i] = stride;
                stride *= to.dim(i);
            }
            while (axis > 0 && from.dim(axis) == to.dim(axis)) {
                axis--;
            }
            this.runAxis = axis;
            this.run = Math.toIntExact(
                    from.dim(axis) * strides[axis] / form.dtype(tensor.dtype()).bytes());
        }

        void copyTo(ByteBuffer target, int offset) {
            read = 0;
            if (from.elements() > 0) {
                copy(0, target, offset);
            }
        }

        private void copy(int axis, ByteBuffer target, int offset) {
            if (axis == runAxis) {
                if (form == RowForm.LONGS) {
                    RowCopy.longs(tensor, read, run, target, offset);
                } else {
                    int bytes = tensor.dtype().bytes();
                    target.put(offset, source, read * bytes, run * bytes);
                }
                read += run;
                return;
            }
            for (long i = 0; i < from.dim(axis); i++) {
                copy(axis + 1, target, offset + (int) (i * strides[axis]));
            }
        }
    }
}
