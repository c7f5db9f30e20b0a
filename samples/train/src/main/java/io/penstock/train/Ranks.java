package io.penstock.train;

import io.penstock.order.Shard;

/** The processes that train one network together: each learns from its part of the data, with the mean of all gradients. */
sealed interface Ranks extends AutoCloseable permits Ranks.Alone, RankStar {

    /** One process. */
    record Alone() implements Ranks {
        @Override
        public Shard shard() {
            return Shard.WHOLE;
        }

        @Override
        public void average(float[] gradients) {}

        @Override
        public void close() {}
    }

    Shard shard();

    /**
     * Replaces each value by its mean over all ranks, the same everywhere. Blocks until all have come.
     * @throws io.penstock.fault.StoreException if a rank is gone, or does not come within its time
     */
    void average(float[] gradients);

    default boolean areSeveral() {
        return shard().worldSize() > 1;
    }

    @Override
    void close();
}
