package io.penstock.cache.ram;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The slabs that may be given up at some time, those of little worth first and of these the oldest. Not thread-safe but
 * for {@link #leastWorth}, {@link #changes} and {@link #reclaimable}: {@link Slabs} calls it under its lock.
 */
final class LiveSlabs {

    private static final int WORTH_MOVING = 8; // a slab of which less than this part is dead is not compacted

    private final TreeMap<Long, Slab> inOrder = new TreeMap<>();
    private volatile int leastWorth = Admission.WORTHS;
    private volatile int makingRoom = Admission.WORTHS;
    private volatile int changes;
    private volatile long reclaimable;

    /**
     * The least worth of a value held, or {@link Admission#WORTHS} if none is. What is being given up or moved counts
     * until its room is back.
     */
    int leastWorth() {
        return Math.min(leastWorth, makingRoom); // in this order: one is set before the other is changed
    }

    /** Whether room may come of what is worth less than this, or of moving what lies beside values that are gone. */
    boolean givesRoom(int below) {
        return reclaimable > 0 || leastWorth() < below;
    }

    /**
     * Another number once a slab has come, or room has come back. A caller that found neither what gives way nor room
     * looks again if it has changed meanwhile.
     */
    int changes() {
        return changes;
    }

    /** Room of this worth comes, one slab at a time: told before that slab is removed. */
    void makeRoom(int worth) {
        makingRoom = worth;
    }

    /** That room is back. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock of the owner
    void madeRoom() {
        makingRoom = Admission.WORTHS;
        changes++;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock of the owner
    void add(Slab slab) {
        inOrder.put(order(slab.worth, slab.number), slab);
        leastWorth = Math.min(leastWorth, slab.worth);
        changes++;
    }

    void remove(Slab slab) {
        forgetDead(slab);
        inOrder.remove(order(slab.worth, slab.number));
        leastWorth = inOrder.isEmpty() ? Admission.WORTHS : inOrder.firstEntry().getValue().worth;
    }

    /**
     * The first of less worth than this, unless all of them together with what is free have fewer than this many bytes.
     */
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

    /** Whether values are being copied into a slab of less worth than this. */
    boolean isFilling(int below) {
        return inOrder.headMap(order(below, 0)).values().stream().anyMatch(slab -> slab.filling > 0);
    }

    /** No key leads to some bytes of a slab any more. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock of the owner
    void died(Slab slab, int bytes) {
        slab.dead += bytes;
        if (slab.dead >= slab.position / WORTH_MOVING && inOrder.get(order(slab.worth, slab.number)) == slab) {
            reclaimable += slab.dead - slab.counted;
            slab.counted = slab.dead;
        }
    }

    /** The dead bytes of this slab are not worth moving the others. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock of the owner
    void forgetDead(Slab slab) {
        reclaimable -= slab.counted;
        slab.counted = 0;
    }

    /** How many bytes can be had by moving the values beside those that are gone. */
    long reclaimable() {
        return reclaimable;
    }

    /** The slab with the largest number of dead bytes that count, {@code null} if there is none. */
    @Nullable Slab deadest() {
        Slab found = null;
        for (Slab slab : inOrder.values()) {
            if (slab.counted > (found == null ? 0 : found.counted) && slab.filling == 0) {
                found = slab;
            }
        }
        return found;
    }

    void clear() {
        inOrder.clear();
        reclaimable = 0;
        leastWorth = Admission.WORTHS;
    }

    private static long order(int worth, int number) {
        return (long) worth << Integer.SIZE | number;
    }
}
