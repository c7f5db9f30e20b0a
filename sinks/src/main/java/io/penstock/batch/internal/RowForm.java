package io.penstock.batch.internal;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.Locale;

/** In which form a field's rows lie in a batch. */
public enum RowForm {
    /** As samples have them. */
    SAME,

    /** {@code [h, w, c]} as {@code [c, h, w]}, {@code [t, h, w, c]} as {@code [t, c, h, w]}. */
    CHANNELS_FIRST,

    /** Integers as {@code i64}. */
    LONGS;

    private static final int MAX_CHANNELS = 4;

    /**
     * Whether the pictures of a batch are {@code [n, c, h, w]} and not {@code [n, h, w, c]}: if the second axis is at most
     * four and the last one is more. So where both could be channels, as in {@code [n, 3, 3, 3]}, or neither, as in {@code
     * [n, 16, 64, 64]}, they are the last, as samples have them.
     */
    public static boolean isChannelsFirst(Shape pictures) {
        return pictures.rank() == 4 && pictures.dim(1) <= MAX_CHANNELS && pictures.dim(3) > MAX_CHANNELS;
    }

    Shape shape(Shape sample) {
        if (this != CHANNELS_FIRST) {
            return sample;
        }
        int last = sample.rank() - 1;
        return last == 2
                ? Shape.of(sample.dim(2), sample.dim(0), sample.dim(1))
                : Shape.of(sample.dim(0), sample.dim(last), sample.dim(1), sample.dim(2));
    }

    DType dtype(DType sample) {
        return this == LONGS ? DType.I64 : sample;
    }

    void require(String field, long index, Tensor tensor) {
        int rank = tensor.shape().rank();
        String takes = switch (this) {
            case SAME -> "";
            case CHANNELS_FIRST -> rank == 3 || rank == 4 ? "" : "[h, w, c] or [t, h, w, c]";
            case LONGS ->
                switch (tensor.dtype()) {
                    case U64, F16, BF16, F32, F64 -> "integers of up to 32 bits, or i64";
                    default -> "";
                };
        };
        if (!takes.isEmpty()) {
            throw new IllegalArgumentException(
                    "cannot batch field \"%s\" as %s: that takes %s, sample %d is %s; leave the field as it is, or map it"
                            .formatted(field, this, takes, index, tensor.type()));
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
