package io.penstock.pipeline;

/** In which order one epoch visits a dataset's samples: a permutation of [0, size), computed by position. */
sealed interface Order permits Order.Sequential, Order.Shuffled, Order.Windowed, PartitionedOrder {

    /** The order of one epoch, as a function that is cheap to call and safe to share. */
    Epoch epoch(long seed, long epoch, long size);

    @FunctionalInterface
    interface Epoch {
        long index(long position);
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
            return new Permutation(size, key(seed, epoch))::at;
        }

        @Override
        public String toString() {
            return "shuffled";
        }
    }

    /** Runs of {@code window} neighbours in random order, each shuffled inside; the shorter last run stays last. */
    record Windowed(long window) implements Order {
        @Override
        public Epoch epoch(long seed, long epoch, long size) {
            long key = key(seed, epoch);
            return position -> at(position, size, window, key);
        }

        static long at(long position, long size, long window, long key) {
            long windows = size / window;
            long whole = windows * window;
            if (position >= whole) {
                return whole + new Permutation(size - whole, Mixing.fold(key, -1)).at(position - whole);
            }
            long which = new Permutation(windows, Mixing.fold(key, windows)).at(position / window);
            return which * window + new Permutation(window, Mixing.fold(key, which)).at(position % window);
        }

        @Override
        public String toString() {
            return "windowed " + window;
        }
    }

    private static long key(long seed, long epoch) {
        return Mixing.fold(Mixing.fold(0, seed), epoch);
    }
}
