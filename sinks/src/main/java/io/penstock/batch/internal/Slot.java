package io.penstock.batch.internal;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory of one batch, filled row by row, then lent out until it is given back to the ring. Used by one thread at a
 * time.
 */
public abstract class Slot {

    final Memory memory;

    Slot(Memory memory) {
        this.memory = memory;
    }

    /** A slot of a memory; padded where rows have different shapes. */
    public static Slot of(Memory memory, boolean padded) {
        return padded ? new PaddedSlot(memory) : new StackedSlot(memory);
    }

    /** The fields that padding adds beside a field. */
    public static List<String> added(String field) {
        return List.of(PaddedSlot.length(field), PaddedSlot.shape(field));
    }

    /** Adds the fields of the sample of an index as the next row. */
    public final void add(long index, List<Tensor> row) {
        List<Tensor> whole = row;
        if (memory.indexed()) {
            whole = new ArrayList<>(row);
            whole.add(Tensor.scalar(index));
        }
        if (whole.size() != memory.names().size()) {
            throw new IllegalArgumentException("schema must flatten to %s, sample %d has %d fields"
                    .formatted(memory.names(), index, whole.size()));
        }
        put(index, whole);
    }

    abstract void put(long index, List<Tensor> row);

    public abstract int rows();

    /** The fields, {@code [rows, …]} each: what was added, then zeros. {@code rows} is at least {@link #rows}. */
    abstract Map<String, Tensor> stacked(int rows);

    /** Empties the slot for other rows; its memory is used again. */
    public abstract void clear();

    /** Leaves the memory to those that still see it, and takes new one when it is needed. */
    abstract void forget();

    /** Fields of which nothing is known but the names. */
    final Map<String, Tensor> unknown(int rows) {
        Map<String, Tensor> fields = new LinkedHashMap<>();
        for (String name : memory.names()) {
            fields.put(name, Tensor.of(DType.U8, Shape.of(rows, 0), ByteBuffer.allocate(0)));
        }
        return Collections.unmodifiableMap(fields);
    }
}
