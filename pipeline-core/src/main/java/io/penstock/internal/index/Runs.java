package io.penstock.internal.index;

import java.util.Objects;

/**
 * A set of indices that are few runs of equal steps, such as the rows at which windows of series begin: one of 10^9 is
 * found in half of the time that {@link Bits} take.
 *
 * <p><b>Memory</b>: 20 bytes a run.
 */
final class Runs implements Selection {

    private final long step;

    /** Of each run how many indices come before it, and its first index; at the end the number of all. */
    private final long[] runs;

    /**
     * The run of each place that is a multiple of 2^shift. There are about as many as runs, so that a search from there on
     * passes one run on average, whatever their lengths.
     */
    private final int[] hints;

    private final int shift;
    private final long size;

    /**
     * @param step from one index of a run to the next
     * @param runs as the field has them
     */
    Runs(long step, long... runs) {
        this.step = step;
        this.runs = runs;
        this.size = runs[runs.length - 2];
        this.shift = Long.SIZE - Long.numberOfLeadingZeros(size / (runs.length / 2));
        this.hints = new int[(int) (size - 1 >>> shift) + 1];
        int run = 0;
        for (int i = 0; i < hints.length; i++) {
            run = last(run, (long) i << shift);
            hints[i] = run;
        }
    }

    private int hint(long place) {
        return hints[(int) (Objects.checkIndex(place, size) >>> shift)];
    }

    /** The run of a place, which is this one or a later one. */
    private int last(int run, long place) {
        int last = run;
        while (runs[2 * last + 2] <= place) {
            last++;
        }
        return last;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long at(long place) {
        return at(hint(place), place);
    }

    private long at(int from, long place) {
        int run = last(from, place);
        return (place - runs[2 * run]) * step + runs[2 * run + 1];
    }

    /** In two steps, so that the waits for what lies in no processor's cache overlap. */
    @Override
    public void at(long[] places) {
        int[] from = new int[places.length];
        for (int i = 0; i < from.length; i++) {
            from[i] = hint(places[i]);
        }
        for (int i = 0; i < from.length; i++) {
            places[i] = at(from[i], places[i]);
        }
    }
}
