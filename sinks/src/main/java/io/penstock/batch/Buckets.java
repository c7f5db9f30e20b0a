package io.penstock.batch;

import io.penstock.internal.Arguments;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/** Which bucket a sample of a length goes to: the first whose upper boundary lies above it. */
final class Buckets<T> {

    private final Length<T> length;
    private final long[] boundaries;

    @FunctionalInterface
    private interface Length<T> {
        long of(T value, List<Tensor> fields);
    }

    private Buckets(Length<T> length, long[] boundaries) {
        Arguments.refuse(boundaries.length == 0, "buckets need at least one boundary");
        for (int i = 1; i < boundaries.length; i++) {
            if (boundaries[i] <= boundaries[i - 1]) {
                throw new IllegalArgumentException("bucket boundaries must ascend: " + Arrays.toString(boundaries));
            }
        }
        this.length = length;
        this.boundaries = boundaries.clone();
    }

    static <T> Buckets<T> by(ToLongFunction<? super T> length, long[] boundaries) {
        Objects.requireNonNull(length, "length");
        return new Buckets<>((value, fields) -> length.applyAsLong(value), boundaries);
    }

    static <T> Buckets<T> byField(List<String> names, String field, long[] boundaries) {
        int which = names.indexOf(field);
        Arguments.refuse(which < 0, "cannot bucket by \"%s\": fields are %s", field, names);
        return new Buckets<>((value, fields) -> firstAxis(field, fields.get(which)), boundaries);
    }

    private static long firstAxis(String field, Tensor tensor) {
        Arguments.refuse(tensor.shape().rank() == 0, "cannot bucket by \"%s\": a scalar has no length", field);
        return tensor.shape().dim(0);
    }

    int count() {
        return boundaries.length + 1;
    }

    int of(T value, List<Tensor> fields) {
        int at = Arrays.binarySearch(boundaries, length.of(value, fields));
        return at < 0 ? -at - 1 : at + 1;
    }

    @Override
    public String toString() {
        return "bucketed by length at " + Arrays.toString(boundaries);
    }
}
