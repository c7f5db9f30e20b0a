package io.penstock.internal.index;

import java.util.Objects;

/**
 * A set of indices that are few runs of equal steps, such as the rows at which windows of series begin: one of 10^9 is
 * found in half of the time that {@link Bits} take: a guess by proportion finds most. It waits for one cache line, as all
 * but the differences within groups stays in a processor's cache.
 *
 * <p><b>Memory</b>: 4.5 bytes a run where 64 neighbours lie within about 2^16 indices; 21 at most.
 */
final class Runs implements Selection {

    /** Bits of the number of runs from one hint to the next, on average: hints of 10^6 runs stay in a processor's cache. */
    private static final int HINTED = 4;

    /** Bits of the most runs of a group. */
    private static final int GROUPED = 6;

    private final long step;

    /** Of the first run of each group how many indices come before it, and its first index. */
    private final long[] groups;

    /** Of each run the same from its group's first on, in one number: the latter as its difference from equal steps. */
    private final int[] within;

    /** Bits of a run's number in its group, and of how many indices come before it there. */
    private final int grouped;

    private final int counted;

    /** The run of each place that is a multiple of 2^shift, and the last run. */
    private final int[] hints;

    private final int shift;
    private final long size;

    /**
     * @param step from one index of a run to the next
     * @param runs of each run how many indices come before it, and its first index; the last one is empty and ends all
     */
    Runs(long step, long... runs) {
        this.step = step;
        this.size = runs[runs.length - 2];
        this.within = new int[runs.length / 2];
        int bits = GROUPED;
        int most = counted(bits, runs);
        while (most > Integer.SIZE) {
            most = counted(--bits, runs);
        }
        this.grouped = bits;
        this.counted = most;
        this.groups = new long[2 * (within.length - 1 >>> grouped) + 2];
        for (int run = 0; run < within.length; run++) {
            int first = run >>> grouped << grouped;
            groups[2 * (run >>> grouped)] = runs[2 * first];
            groups[2 * (run >>> grouped) + 1] = runs[2 * first + 1];
            within[run] = (int) (count(first, run, runs) | skipped(first, run, runs) << counted);
        }
        int last = within.length - 2;
        this.shift = HINTED + Long.SIZE - Long.numberOfLeadingZeros(size / (last + 1));
        this.hints = new int[(int) (size - 1 >>> shift) + 2];
        for (int i = 1; i < hints.length; i++) {
            long place = Math.min(size - 1, (long) i << shift);
            hints[i] = Bits.last(hints[i - 1], last, run -> before(run) <= place);
        }
    }

    private long count(int first, int run, long... runs) {
        return runs[2 * run] - runs[2 * first];
    }

    private long skipped(int first, int run, long... runs) {
        return runs[2 * run + 1] - runs[2 * first + 1] - count(first, run, runs) * step;
    }

    /** Bits for the counts within groups of this size; more than a number has if the rest has no room beside them. */
    private int counted(int bits, long... runs) {
        long counts = 0;
        long rest = 0;
        for (int run = 0; run < within.length; run++) {
            int first = run >>> bits << bits;
            counts |= count(first, run, runs);
            long skipped = skipped(first, run, runs);
            rest |= skipped ^ skipped >> Long.SIZE - 1;
        }
        int counted = Long.SIZE - Long.numberOfLeadingZeros(counts);
        return counted - Long.numberOfLeadingZeros(rest) < -Integer.SIZE ? counted : Long.SIZE;
    }

    private long before(int run) {
        return groups[2 * (run >>> grouped)] + (within[run] & (1 << counted) - 1);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long at(long place) {
        return at(near(guess(Objects.checkIndex(place, size)), place), place);
    }

    /** In three steps, so that the waits for what lies in no processor's cache overlap. */
    @Override
    public void at(long[] places) {
        int[] found = new int[places.length];
        for (int i = 0; i < found.length; i++) {
            found[i] = guess(Objects.checkIndex(places[i], size));
        }
        for (int i = 0; i < found.length; i++) {
            found[i] = near(found[i], places[i]);
        }
        for (int i = 0; i < found.length; i++) {
            places[i] = at(found[i], places[i]);
        }
    }

    /** The run of a place, by proportion: it reads the hints alone. */
    private int guess(long place) {
        int hint = (int) (place >>> shift);
        int first = hints[hint];
        return first + (int) ((place & (1L << shift) - 1) * (hints[hint + 1] - first) >>> shift);
    }

    /** This run, or the one beside it that is nearer to the place: most guesses that fail are one off. */
    private int near(int run, long place) {
        return run + (int) (1 + (place - before(run + 1) >> Long.SIZE - 1) + (place - before(run) >> Long.SIZE - 1));
    }

    private long at(int near, long place) {
        int run = near;
        if (before(run) > place || before(run + 1) <= place) {
            int hint = (int) (place >>> shift);
            run = Bits.last(hints[hint], hints[hint + 1], each -> before(each) <= place);
        }
        int group = 2 * (run >>> grouped);
        return (place - groups[group]) * step + groups[group + 1] + (within[run] >> counted);
    }
}
