package io.penstock.cache;

import java.util.List;
import java.util.stream.Stream;

/**
 * One or more tiers that keep samples together, the fastest first.
 * <pre>{@code
 *  try (Cache cache = Cache.of(RamTier.ofBytes(8L << 30), ChronicleTier.at(directory).open())) {
 *      dataset.cache(cache, schema).stream(...)
 *  }
 * }</pre>
 */
public final class Cache implements AutoCloseable {

    private final Tier chain;

    private Cache(Tier chain) {
        this.chain = chain;
    }

    /**
     * A cache of these tiers. Closing it closes them.
     * @throws IllegalArgumentException if there are none
     */
    public static Cache of(Tier... fastestFirst) {
        return new Cache(Stream.of(fastestFirst)
                .reduce(Tier::backedBy)
                .orElseThrow(() -> new IllegalArgumentException("a cache needs at least one tier, was given none")));
    }

    /** The tiers as one. */
    public Tier chain() {
        return chain;
    }

    /** The tiers, fastest first. */
    public List<Tier> tiers() {
        return chain.levels();
    }

    /**
     * Forgets a key in every tier.
     * @throws UnsupportedOperationException if a tier cannot remove keys
     */
    public void remove(SampleKey key) {
        chain.remove(key);
    }

    /** The sum over the tiers; the misses are those of the slowest. */
    public TierStatistics statistics() {
        return chain.statistics();
    }

    /** Closes every tier. */
    @Override
    public void close() {
        chain.close();
    }

    @Override
    public String toString() {
        return chain.toString();
    }
}
