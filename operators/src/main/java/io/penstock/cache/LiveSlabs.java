package io.penstock.cache;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The slabs that may be given up at some time, those of little worth first and of these the oldest. Not thread-safe but
 * for {@link #leastWorth}: {@link Slabs} calls it under its lock.
 */
final class LiveSlabs {

    private final TreeMap<Long, Slab> inOrder = new TreeMap<>();
    private volatile int leastWorth = Admission.WORTHS;

    /** The least worth of a value held, or {@link Admission#WORTHS} if none is. */
    int leastWorth() {
        return leastWorth;
    }

    void add(Slab slab) {
        inOrder.put(order(slab.worth, slab.number), slab);
        leastWorth = Math.min(leastWorth, slab.worth);
    }

    void remove(Slab slab) {
        inOrder.remove(order(slab.worth, slab.number));
        leastWorth = inOrder.isEmpty() ? Admission.WORTHS : inOrder.firstEntry().getValue().worth;
    }

    /** The first of less worth than this, unless all of them together with what is free have less than so many bytes. */
    @Nullable Slab first(int below, long free, int bytes) {
        Slab first = null;
        long gained = free;
        for (Slab slab : inOrder.headMap(order(below, 0)).values()) {
            if (slab.filling == 0) { // what is being copied into it would have no home
                first = first == null ? slab : first;
                gained += slab.paid;
                if (gained >= bytes) {
                    return first;
                }
            }
        }
        return null;
    }

    void clear() {
        inOrder.clear();
        leastWorth = Admission.WORTHS;
    }

    private static long order(int worth, int number) {
        return (long) worth << Integer.SIZE | number;
    }
}
