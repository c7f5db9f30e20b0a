package io.penstock.cache;

/**
 * Learns how long calls of the tiers of a cache take. A cache calls it; nothing is wrapped around a tier, so observing a cache
 * cannot change what it does. Called on the thread of the call, from any number of threads; must not block or throw.
 */
public interface TierObserver {

    /** Whether to time the calls with this key. Reading the clock costs as much as a look-up in RAM. */
    boolean times(SampleKey key);

    /**
     * A look-up ended.
     * @param tier its position in {@link Cache#tiers}
     */
    void got(int tier, boolean hit, long nanos);

    /**
     * A put ended.
     * @param tier its position in {@link Cache#tiers}
     */
    void put(int tier, long nanos);
}
