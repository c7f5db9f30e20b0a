package io.penstock.cache;

import io.penstock.fault.MismatchException;
import io.penstock.internal.Arguments;
import io.penstock.order.internal.Mixing;

/**
 * Which of a cache's hits are loaded again, to see whether the cache still tells the truth: a stage that is not
 * deterministic, or one that was changed and kept its name, is found and named.
 *
 * <p>The choice is by key: the same samples in every epoch and process, the share asked for in any order.
 *
 * @param share of the hits, in {@code (0, 1]}
 * @param fails whether the first difference ends the stream with a {@link MismatchException}; otherwise it is logged, once
 *              a stage, and counted in the statistics, and the cached value is delivered
 */
public record HitCheck(double share, boolean fails) {

    public HitCheck {
        Arguments.refuse(!(share > 0 && share <= 1), "the share of hits to check must be in (0, 1], was %s", share);
    }

    /**
     * Checks this share of the hits and fails at the first difference.
     * @throws IllegalArgumentException if the share is not in (0, 1]
     */
    public static HitCheck ofShare(double share) {
        return new HitCheck(share, true);
    }

    /** The same, but differences are logged and counted. */
    public HitCheck warning() {
        return new HitCheck(share, false);
    }

    /** Whether hits of this key are checked. */
    public boolean picks(SampleKey key) {
        // 53 bits, as many as a double has
        return (Mixing.fold(key.high(), key.low()) >>> 11) * 0x1p-53 < share;
    }
}
