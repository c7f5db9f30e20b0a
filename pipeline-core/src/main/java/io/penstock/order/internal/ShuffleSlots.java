package io.penstock.order.internal;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Which arrival lies in which slot of a shuffle buffer, by arithmetic.
 *
 * <p>Step t delivers what lies in a slot that (seed, t) alone chooses, and puts arrival t + n there. So slot s holds
 * arrival t + n, where t is the last step that chose s; before any did, it holds arrival s. The state at any step is
 * found by walking back until each slot was chosen, which takes about n ln n steps.
 */
public final class ShuffleSlots {

    private final long seed;
    private final long[] arrivals;
    private long step;
    private long oldest;

    /** The slots before a step. */
    public ShuffleSlots(int n, long seed, long step) {
        this.seed = seed;
        this.arrivals = new long[n];
        this.step = step;
        Arrays.setAll(arrivals, slot -> slot);
        BitSet known = new BitSet(n);
        int unknown = n;
        for (long t = step - 1; t >= 0 && unknown > 0; t--) {
            int slot = slot(t);
            if (!known.get(slot)) {
                known.set(slot);
                unknown--;
                arrivals[slot] = t + n;
            }
        }
        findOldest();
    }

    private int slot(long t) {
        return among(t, arrivals.length);
    }

    /** What a step chooses among this many. */
    public int among(long t, int candidates) {
        return (int) Math.multiplyHigh(Mixing.fold(Mixing.fold(0, seed), t) >>> 1, 2L * candidates);
    }

    /** The number of the next step. */
    public long step() {
        return step;
    }

    /** The number of the arrival in a slot. */
    public long arrival(int slot) {
        return arrivals[slot];
    }

    /** The slots, that of the oldest arrival first. */
    public int[] byArrival() {
        return IntStream.range(0, arrivals.length)
                .boxed()
                .sorted(Comparator.comparingLong(this::arrival))
                .mapToInt(slot -> slot)
                .toArray();
    }

    /** The oldest arrival that no step before this one delivered. */
    public long oldest() {
        return oldest;
    }

    /** Takes the next step: returns the slot whose arrival it delivers, and which the next arrival takes. */
    public int next() {
        int slot = slot(step);
        boolean first = arrivals[slot] == oldest;
        arrivals[slot] = step + arrivals.length;
        step++;
        if (first) {
            findOldest(); // happens every n steps on average
        }
        return slot;
    }

    private void findOldest() {
        oldest = Arrays.stream(arrivals).min().orElseThrow();
    }
}
