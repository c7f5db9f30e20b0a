package io.penstock.pipeline;

import java.util.random.RandomGenerator;

/**
 * A counter-based generator: the n-th number is a function of (key, n), so there is no state to carry over between
 * samples and nothing to seed but the key.
 *
 * <p>SplitMix64 with a key of its own for the increment too: with one increment for all, two keys that differ by a
 * multiple of it would walk the same sequence.
 */
final class CounterRandom implements RandomGenerator {

    private final long gamma;
    private long state;

    CounterRandom(long key) {
        this.state = Mixing.mix(key);
        this.gamma = Mixing.mix(key ^ Mixing.GOLDEN) | 1;
    }

    @Override
    public long nextLong() {
        return Mixing.mix(state += gamma);
    }
}
