package io.penstock.pack;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes sequences into a row, one behind another. */
final class RowWriter {

    private static final Set<DType> WHOLE =
            EnumSet.of(DType.U8, DType.I8, DType.U16, DType.I16, DType.U32, DType.I32, DType.U64, DType.I64);

    private final int size;
    private final int[] segments;
    private final int[] positions;
    private final Field tokens = new Field("tokens");
    private final Field mask = new Field("a loss mask");
    private int segment;
    private int used;

    RowWriter(int size) {
        this.size = size;
        this.segments = new int[size];
        this.positions = new int[size];
    }

    /** The values of one kind, in the dtype of the first sequence. */
    private final class Field {

        private final String name;
        private int first;
        private @Nullable DType dtype;
        private ByteBuffer bytes = ByteBuffer.allocate(0);

        Field(String name) {
            this.name = name;
        }

        void put(int sequence, Tensor values, int from, int count) {
            if (dtype == null) {
                dtype = values.dtype();
                first = sequence;
                bytes = ByteBuffer.allocate(Math.multiplyExact(size, dtype.bytes()));
            } else if (dtype != values.dtype()) {
                throw new IllegalArgumentException(
                        "cannot pack %s of two types into a row: sequence %d has %s, sequence %d has %s; map to one dtype"
                                .formatted(name, first, dtype, sequence, values.dtype()));
            }
            int width = dtype.bytes();
            bytes.put(used * width, values.data(), from * width, count * width);
        }

        Tensor toTensor() {
            return Tensor.of(dtype == null ? DType.BOOL : dtype, Shape.of(size), bytes);
        }
    }

    /**
     * Adds a part of a sequence.
     * @param planned how many tokens the whole sequence had when the rows were planned
     */
    void add(int sequence, Tensor ids, int planned, @Nullable Tensor lossMask, int from, int count) {
        check(sequence, ids, planned);
        Tensor counted = lossMask == null ? ones(planned) : lossMask;
        if (!counted.shape().equals(ids.shape())) {
            throw new IllegalArgumentException(
                    "a loss mask must have a value a token, sequence %d has tokens %s, mask %s"
                            .formatted(sequence, ids.type(), counted.type()));
        }
        tokens.put(sequence, ids, from, count);
        mask.put(sequence, counted, from, count);
        segment++;
        for (int i = 0; i < count; i++) {
            segments[used + i] = segment;
            positions[used + i] = from + i;
        }
        used += count;
    }

    private static void check(int sequence, Tensor ids, int planned) {
        if (ids.shape().rank() != 1 || !WHOLE.contains(ids.dtype())) {
            throw new IllegalArgumentException(
                    "tokens must be whole numbers along one axis, sequence %d is %s".formatted(sequence, ids.type()));
        }
        if (ids.shape().dim(0) != planned) {
            throw new IllegalArgumentException(
                    "sequence %d has %d tokens, and had %d when the rows were planned; take the lengths again"
                            .formatted(sequence, ids.shape().dim(0), planned));
        }
    }

    private static Tensor ones(int count) {
        byte[] ones = new byte[count];
        Arrays.fill(ones, (byte) 1);
        return Tensor.of(DType.BOOL, Shape.of(count), ByteBuffer.wrap(ones));
    }

    PackedRow toRow() {
        return new PackedRow(tokens.toTensor(), Tensor.ofInts(segments), Tensor.ofInts(positions), mask.toTensor());
    }
}
