package io.penstock.order;

import io.penstock.order.internal.Mixing;
import java.util.Arrays;

/**
 * In which order one epoch visits a dataset's samples, computed by position: a permutation of [0, size), except that
 * {@link MixedOrder} and {@link WeightedOrder} draw some samples several times and others never.
 */
sealed interface Order
        permits Order.Sequential, Order.Shuffled, Order.Windowed, PartitionedOrder, MixedOrder, WeightedOrder {

    /** The order of one epoch, as a function that is cheap to call and safe to share. */
    Epoch epoch(long seed, long epoch, long size);

    /**
     * The number of draws in an epoch of a dataset of {@code size}.
     * @throws IllegalArgumentException if the order is of datasets of another size
     */
    default long draws(long size) {
        return size;
    }

    /** Whether each epoch draws each sample once. */
    default boolean isPermutation() {
        return !(this instanceof MixedOrder || this instanceof WeightedOrder);
    }

    @FunctionalInterface
    interface Epoch {
        long index(long position);

        /** Replaces positions by the indices there, and sets the turns of their draws that are not 0. */
        default void indices(long[] positions, long[] turns) {
            Arrays.setAll(positions, i -> index(positions[i]));
        }

        /** Where the windows end that are open at a position; -1 in an order without windows. */
        default long endOfWindows(long position) {
            return -1;
        }

        /** The first and the last index of each window that is open at a position. */
        default long[] windows(long position) {
            return new long[0];
        }
    }

    /** As the dataset lies. */
    record Sequential() implements Order {
        @Override
        public Epoch epoch(long seed, long epoch, long size) {
            return position -> position;
        }

        @Override
        public String toString() {
            return "sequential";
        }
    }

    /** All samples, uniformly. */
    record Shuffled() implements Order {
        @Override
        public Epoch epoch(long seed, long epoch, long size) {
            return new Permutation(size, key(seed, epoch));
        }

        @Override
        public String toString() {
            return "shuffled";
        }
    }

    /** Runs of {@code window} neighbours, {@code interleaved} of them at a time: see {@link Windows}. */
    record Windowed(long window, int interleaved) implements Order {
        @Override
        public Epoch epoch(long seed, long epoch, long size) {
            return windows(size, key(seed, epoch));
        }

        Windows windows(long size, long key) {
            return new Windows(size, window, interleaved, key);
        }

        @Override
        public String toString() {
            return "windowed " + window + " interleaved " + interleaved;
        }
    }

    static long key(long seed, long epoch) {
        return Mixing.fold(Mixing.fold(0, seed), epoch);
    }
}
