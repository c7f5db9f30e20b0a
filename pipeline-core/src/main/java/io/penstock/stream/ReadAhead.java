package io.penstock.stream;

import io.penstock.internal.Arguments;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.function.ToLongFunction;

/**
 * The max bytes of samples that a stream has loaded and not yet delivered, besides the max number
 * {@link Execution#inFlight}.
 *
 * <p>The size of a sample is known once it is loaded. Until then it counts as much as the largest recent one, and a
 * stream begins with one sample, then two, then four. So the bound holds while sizes stay alike. Loads begun together
 * may pass it if they turn out larger than those before them. One sample is always allowed, however large.
 *
 * <p>Only delivered values count, not what stages need in between, such as an archive around an image.
 * Nothing that is delivered depends on the bound.
 *
 * @param bytes the max, at least 1
 * @param size  the bytes of a sample; called once a sample, on the threads that load
 */
public record ReadAhead<T>(long bytes, ToLongFunction<? super T> size) {

    public ReadAhead {
        Arguments.refuse(bytes < 1, "read-ahead must be at least 1 byte, was %s", bytes);
    }

    /** A bound on samples that a schema describes: the bytes of all their fields. */
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
