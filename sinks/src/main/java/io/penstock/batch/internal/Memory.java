package io.penstock.batch.internal;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Allocates the buffers of a ring's slots, and has what the slots share: the number of rows, the fields and their latest
 * layout. Used by one thread at a time, as the slots are.
 */
public final class Memory {

    private static final int CACHE_LINE = 64;
    private static final int MAX_BYTES = Integer.MAX_VALUE - 2 * CACHE_LINE;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

    private final int rows;
    private final List<String> names;
    private final RowForm[] forms;
    private final boolean indexed;
    private final RowCopy copy = new RowCopy();
    private final IntFunction<ByteBuffer> allocator;
    private @Nullable Layout latest;

    /**
     * @param forms   of the fields that do not lie as their samples have them
     * @param indexed whether the last of the names is that of the indices
     */
    public Memory(
            int rows,
            List<String> names,
            Map<String, RowForm> forms,
            boolean indexed,
            IntFunction<ByteBuffer> allocator) {
        this.rows = rows;
        this.names = names;
        this.indexed = indexed;
        this.forms = names.stream()
                .map(name -> forms.getOrDefault(name, RowForm.SAME))
                .toArray(RowForm[]::new);
        this.allocator = allocator;
    }

    int rows() {
        return rows;
    }

    List<String> names() {
        return names;
    }

    /** Whether each row ends in its index. */
    boolean indexed() {
        return indexed;
    }

    RowForm form(int field) {
        return forms[field];
    }

    /** Copies a row of a field to its place, in the field's form; {@code largest} is of the rows that lie there. */
    void copy(int field, Tensor tensor, Shape largest, ByteBuffer target, int at) {
        switch (forms[field]) {
            case SAME -> tensor.copyTo(target, at);
            case CHANNELS_FIRST -> copy.planes(tensor, largest, target, at);
            case LONGS -> RowCopy.longs(tensor, 0, (int) largest.elements(), target, at);
        }
    }

    /** The layout of the latest rows that began a batch, for batches that have none; null before any. */
    @Nullable Layout latest() {
        return latest;
    }

    void latest(Layout layout) {
        latest = layout;
    }

    /** A direct buffer that begins a cache line. */
    public static ByteBuffer aligned(int bytes) {
        return ByteBuffer.allocateDirect(Math.addExact(bytes, CACHE_LINE - 1 + CACHE_LINE))
                .alignedSlice(CACHE_LINE)
                .slice(0, bytes);
    }

    /**
     * The buffer if it has room for this count of rows, else a larger one: of just the size at first, and beyond that
     * with up to a quarter more, so that slowly growing batches do not allocate each time.
     */
    ByteBuffer fit(@Nullable ByteBuffer buffer, Layout layout, int field, int count) {
        long each = layout.rowBytes(field);
        if (each > MAX_BYTES / count) {
            throw new IllegalArgumentException(
                    "cannot batch field \"%s\": %d rows of %s are %s bytes, and a buffer holds 2 GiB; take smaller batches"
                            .formatted(
                                    names.get(field),
                                    count,
                                    layout.describe(field),
                                    BigInteger.valueOf(each).multiply(BigInteger.valueOf(count))));
        }
        long bytes = each * count;
        if (buffer != null && buffer.capacity() >= bytes) {
            return buffer;
        }
        int size = (int) bytes;
        if (buffer != null) {
            int quarter = Math.max(CACHE_LINE, Integer.highestOneBit(size) / 4);
            size = (int) Math.min((bytes + quarter - 1) / quarter * quarter, MAX_BYTES);
        }
        return allocate(size, names.get(field));
    }

    private ByteBuffer allocate(int size, String field) {
        try {
            ByteBuffer buffer = allocator.apply(size);
            if (buffer.capacity() < size) {
                throw new IllegalArgumentException(
                        "allocator must give at least %d bytes, gave %d".formatted(size, buffer.capacity()));
            }
            return buffer;
        } catch (OutOfMemoryError e) {
            throw new IllegalStateException(
                    ("no memory for %d bytes of field \"%s\"; if for loops over a Flux were left early, use a"
                                    + " BatchLoop in try-with-resources, which gives their memory back; otherwise take"
                                    + " fewer slots, smaller batches or a larger -XX:MaxDirectMemorySize")
                            .formatted(size, field),
                    e);
        }
    }

    /** Fills rows without a sample: with zeros, or with -1 as their index. */
    void blank(int field, ByteBuffer buffer, int from, int to) {
        if (indexed && field == names.size() - 1) {
            for (int at = from; at < to; at++) {
                buffer.put(at, (byte) -1);
            }
        } else {
            zero(buffer, from, to);
        }
    }

    static void zero(ByteBuffer buffer, int from, int to) {
        for (int at = from; at < to; at += ZEROS.capacity()) {
            buffer.put(at, ZEROS, 0, Math.min(ZEROS.capacity(), to - at));
        }
    }
}
