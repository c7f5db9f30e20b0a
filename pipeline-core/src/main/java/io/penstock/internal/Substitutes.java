package io.penstock.internal;

import io.penstock.order.Draw;
import io.penstock.order.internal.Mixing;

/** Which draws are tried in the place of one whose sample fails. */
public final class Substitutes {

    /** The max number of them. */
    public static final int MAX = 16;

    private Substitutes() {}

    /**
     * The one that follows if the sample of a draw and those of all attempts before failed.
     * @param attempt counted from 1, at most {@link #MAX}
     * @param size    how many samples there are
     */
    public static Draw of(Draw draw, int attempt, long size) {
        long random = Mixing.fold(Mixing.fold(Mixing.fold(draw.seed(), draw.epoch()), draw.index()), attempt);
        long own = draw.turn() == 0 ? random : Mixing.fold(random, draw.turn());
        return draw.at(Long.remainderUnsigned(own, size));
    }
}
