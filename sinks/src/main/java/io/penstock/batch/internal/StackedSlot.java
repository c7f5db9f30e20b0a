package io.penstock.batch.internal;

import io.penstock.internal.PackedTensors;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one shape, copied as they come.
 *
 * <p>The layout is that of the first row. It stays for the next batch if the first row of that agrees, as in most
 * streams. So buffers, offsets and the tensors of a full batch are made once for each slot.
 */
final class StackedSlot extends Slot {

    private static final ByteBuffer[] NONE = {};

    /** The scalars of so many rows are copied at once. */
    private static final int TOGETHER = 64;

    private ByteBuffer[] buffers = NONE;
    private int[] rowBytes = {};
    private @Nullable Layout layout;
    private @Nullable Map<String, Tensor> full;
    private PackedTensors.@Nullable Layout agreed; // its scalars are those of the slot's layout
    private int[] scalars = {};
    private int[] others = {};
    private int[] all = {};
    private final @Nullable PackedTensors[] waiting = new PackedTensors[TOGETHER];
    private int waits;
    private long first;
    private int rows;

    StackedSlot(Memory memory) {
        super(memory);
    }

    @Override
    void put(long index, List<Tensor> row) {
        Layout laid = layout;
        if (rows == 0) {
            first = index;
            if (laid == null || !laid.has(row)) {
                Layout latest = memory.latest();
                laid = lay(latest != null && latest.has(row) ? latest : Layout.of(index, row, memory));
            }
        }
        if (laid == null) {
            throw new IllegalStateException("a slot with rows has a layout");
        }
        boolean isPacked =
                row instanceof PackedTensors packed && packed.layout().equals(agreed);
        if (!isPacked) {
            copyWaiting();
        }
        for (int field : isPacked ? others : all) {
            Tensor tensor = row.get(field);
            if (!laid.has(field, tensor)) {
                throw laid.mismatch(memory.names().get(field), field, first, index, tensor);
            }
            memory.copy(field, tensor, laid.shape(field), buffers[field], rows * rowBytes[field]);
        }
        rows++;
        if (isPacked) {
            waiting[waits++] = (PackedTensors) row;
            if (waits == waiting.length) {
                copyWaiting();
            }
        } else if (row instanceof PackedTensors packed) {
            agreed = packed.layout();
            IntPredicate together = field -> packed.isScalar(field) && memory.form(field) == RowForm.SAME;
            others = IntStream.of(all).filter(together.negate()).toArray();
            scalars = IntStream.of(all).filter(together).toArray();
        }
    }

    /** Copies the scalars of the latest rows, field by field: a copy of one alone is mostly the checks around it. */
    private void copyWaiting() {
        if (waits > 0) {
            for (int field : scalars) {
                PackedTensors.copy(waiting, waits, field, buffers[field], (rows - waits) * rowBytes[field]);
            }
            forgetWaiting();
        }
    }

    private void forgetWaiting() {
        Arrays.fill(waiting, 0, waits, null);
        waits = 0;
    }

    private Layout lay(Layout other) {
        layout = null; // if anything below fails, the slot has no layout
        agreed = null;
        full = null;
        ByteBuffer[] fitting = new ByteBuffer[other.fields()];
        int[] bytes = new int[other.fields()];
        for (int field = 0; field < bytes.length; field++) {
            fitting[field] = memory.fit(buffers == NONE ? null : buffers[field], other, field, memory.rows());
            bytes[field] = Math.toIntExact(other.rowBytes(field));
        }
        buffers = fitting;
        rowBytes = bytes;
        all = IntStream.range(0, bytes.length).toArray();
        layout = other;
        memory.latest(other);
        return other;
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    Map<String, Tensor> stacked(int wanted) {
        copyWaiting();
        Layout laid = rows == 0 ? memory.latest() : layout;
        if (laid == null) {
            return unknown(wanted);
        }
        if (laid != layout) {
            lay(laid);
        }
        for (int field = 0; field < rowBytes.length; field++) {
            memory.blank(field, buffers[field], rows * rowBytes[field], wanted * rowBytes[field]);
        }
        if (wanted != memory.rows()) {
            return tensors(laid, wanted);
        }
        Map<String, Tensor> reused = full;
        if (reused == null) {
            reused = tensors(laid, wanted);
            full = reused;
        }
        return reused;
    }

    private Map<String, Tensor> tensors(Layout laid, int wanted) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (int field = 0; field < laid.fields(); field++) {
            tensors.put(memory.names().get(field), laid.stacked(field, buffers[field], wanted));
        }
        return Collections.unmodifiableMap(tensors);
    }

    @Override
    public void clear() {
        forgetWaiting();
        rows = 0;
    }

    @Override
    void forget() {
        buffers = NONE;
        layout = null;
        full = null;
    }
}
