package io.penstock.internal.index;

import io.penstock.order.internal.Mixing;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.LongStream;

/** Which indices of a dataset are kept, and in which order. Immutable and thread-safe. */
public interface Selection {

    /** How many are kept. */
    long size();

    /**
     * The index of the one at a place.
     * @throws IndexOutOfBoundsException unless {@code 0 <= place < size()}
     */
    long at(long place);

    /**
     * Replaces places by the indices there, as {@link #at(long)} has them.
     * @throws IndexOutOfBoundsException as that one; the places are lost then
     */
    default void at(long[] places) {
        Arrays.setAll(places, i -> at(places[i]));
    }

    /** Those of {@code [from, to)}. */
    record Range(long from, long to) implements Selection {

        /**
         * A range of {@code of} indices.
         * @throws IndexOutOfBoundsException unless {@code 0 <= from <= to <= of}
         */
        public static Range of(long from, long to, long of) {
            Objects.checkFromToIndex(from, to, of);
            return new Range(from, to);
        }

        @Override
        public long size() {
            return to - from;
        }

        @Override
        public long at(long place) {
            return from + Objects.checkIndex(place, to - from);
        }
    }

    /** Indices one by one; one may be named several times. */
    final class Listed implements Selection {

        private final long[] indices;

        private Listed(long[] indices) {
            this.indices = indices;
        }

        /**
         * Some of {@code of} indices.
         * @throws IndexOutOfBoundsException if one is not in {@code [0, of)}
         */
        public static Listed of(long[] indices, long of) {
            for (long index : indices) {
                Objects.checkIndex(index, of);
            }
            return new Listed(indices.clone());
        }

        @Override
        public long size() {
            return indices.length;
        }

        @Override
        public long at(long place) {
            return indices[(int) Objects.checkIndex(place, indices.length)];
        }

        /** How many there are, and a hash of them. */
        @Override
        public String toString() {
            return "%d listed, %016x"
                    .formatted(indices.length, LongStream.of(indices).reduce(0, Mixing::fold));
        }
    }
}
