package io.penstock.cache.internal;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import java.util.function.IntToLongFunction;

/**
 * Rendezvous hashing: a key belongs to the server that scores highest for it. So a server that comes takes its own
 * share of the keys, one that goes leaves its share to the others, and no other key moves.
 */
public final class Rendezvous {

    /** No place. */
    public static final int NONE = -1;

    private Rendezvous() {}

    /** What a server scores by, the same in all processes. */
    public static long number(String server) {
        return Fingerprint.of(server).high();
    }

    /**
     * The place of the server that a key belongs to.
     * @param servers how many there are, at least one
     * @param numbers of the servers, by place
     * @param except  a place that is left out, of several; {@link #NONE} for none
     */
    public static int owner(SampleKey key, int servers, IntToLongFunction numbers, int except) {
        if (servers == 1) {
            return 0;
        }
        int best = NONE;
        long highest = 0;
        for (int place = 0; place < servers; place++) {
            long score = key.with(numbers.applyAsLong(place)).high();
            if (place != except && (best == NONE || score > highest)) {
                highest = score;
                best = place;
            }
        }
        return best;
    }
}
