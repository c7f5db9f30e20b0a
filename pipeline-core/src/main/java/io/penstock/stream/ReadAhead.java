package io.penstock.stream;

import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.function.ToLongFunction;

/**
 * How many bytes of samples a stream may have loaded and not yet delivered, besides the number {@link Execution#inFlight}.
 *
 * <p>What a sample is going to take is known once it is there. Until then it counts as much as the largest of late, and a stream
 * begins with one sample, then two, then four. So the bound holds while sizes stay alike and is passed by what loads begun
 * together turn out larger than those before them. One sample is always allowed, however large.
 *
 * <p>Counted is what a stream delivers; stages that need more in between, such as an archive around an image, have it besides.
 * Nothing that is delivered depends on the bound.
 *
 * @param bytes at most, at least 1
 * @param size  the bytes of a sample; called once a sample, on the threads that load
 */
public record ReadAhead<T>(long bytes, ToLongFunction<? super T> size) {

    public ReadAhead {
        if (bytes < 1) {
            throw new IllegalArgumentException("prefetch must be at least 1 byte, was " + bytes);
        }
    }

    /** So many bytes of samples that a schema describes: those of all their fields. */
    public static <T> ReadAhead<T> ofBytes(long bytes, Schema<T> schema) {
        return new ReadAhead<>(bytes, value -> {
            long sum = 0;
            for (Tensor field : schema.flatten(value)) {
                sum += field.byteSize();
            }
            return sum;
        });
    }
}
