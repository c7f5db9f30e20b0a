package io.penstock.order.internal;

import java.util.random.RandomGenerator;

/**
 * A counter-based generator: the n-th number is a function of (key, n), so there is no state to carry over between
 * samples and nothing to seed but the key.
 *
 * <p>SplitMix64 with a key of its own for the increment too: with one increment for all, two keys that differ by a
 * multiple of it would walk the same sequence.
 */
public final class CounterRandom implements RandomGenerator {

    private final long gamma;
    private long state;

    private CounterRandom(long key) {
        this.state = Mixing.mix(key);
        this.gamma = Mixing.mix(key ^ Mixing.GOLDEN) | 1;
    }

    /** The numbers of one stage for one draw. A turn of 0 is not mixed in. */
    public static RandomGenerator of(long seed, long epoch, long index, long turn, long stageHash) {
        long first = Mixing.fold(Mixing.fold(Mixing.fold(0, seed), epoch), index);
        long key = turn == 0 ? first : Mixing.fold(first, turn);
        return new CounterRandom(Mixing.fold(key, stageHash));
    }

    @Override
    public long nextLong() {
        return Mixing.mix(state += gamma);
    }
}
