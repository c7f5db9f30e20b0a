package io.penstock.cache.internal;

import java.util.concurrent.locks.StampedLock;
import java.util.function.LongUnaryOperator;

/**
 * A part of the RAM tier's index: a hash table of (tag, check, location) in one {@code long[]}, two cells an entry.
 *
 * <p>Why it is so: linear probing with the entries of every run in the order of their tags (1), and the home of a tag
 * is its place in [0, places) by multiplication (2). So the whole array is sorted, which makes three things cheap: a
 * miss ends at the first larger tag, growing is one sweep that never hashes or probes, and places need not be a power
 * of two, so the array grows by an eighth and stays between 82 % and 92 % full: 17.4 to 19.6 bytes an entry at every
 * size. Runs do not wrap around; some spare entries follow the last place, of which the very last stays empty and ends
 * every search.
 *
 * <p>Readers take no lock: they search optimistically and look whether a writer came in between, which is also what
 * makes the two cells of an entry one. They lock only when that fails.
 *
 * <p>(1) Amble and Knuth, Ordered hash tables, 1974. (2) Lemire, Fast random integer generation in an interval, 2019.
 */
public final class RamSegment {

    /** What an empty segment costs beside its cells: the object, its lock, an array header. */
    static final int OBJECT_BYTES = 160;

    static final int LOCATION_BITS = 50;

    private static final long LOCATION = (1L << LOCATION_BITS) - 1;
    private static final long CLAIMED = 1; // an offset in slab 0, which no value has
    private static final int FIRST_PLACES = 8;
    private static final double FULLEST = 0.92;
    private static final double AFTER_GROWTH = 0.82;
    private static final int MAX_ATTEMPTS =
            8; // where the last run does not fit; only keys made to collide need a third

    private final StampedLock lock = new StampedLock();
    private long[] cells = new long[2 * entriesFor(FIRST_PLACES)];
    private int places = FIRST_PLACES;
    private int size;
    private boolean closed;

    /** What became of a wish to put a key. */
    public enum Claim {
        /** The caller's, who publishes or releases it. */
        GRANTED,
        /** Another put has it. */
        HELD,
        /** There is no room for it. */
        REFUSED
    }

    private static int entriesFor(int places) {
        return places + Math.min(64, 4 + places / 16);
    }

    static long bytesWhenEmpty() {
        return OBJECT_BYTES + 2L * Long.BYTES * entriesFor(FIRST_PLACES);
    }

    /** The bytes of this segment, all of which its owner has paid for. */
    long bytes() {
        long stamp = lock.readLock();
        try {
            return OBJECT_BYTES + (long) Long.BYTES * cells.length;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** The location published for a tag and a check (the top 14 bits of a word), or 0. */
    long find(long tag, long check) {
        long stamp = lock.tryOptimisticRead();
        if (stamp != 0) {
            long[] now = cells; // once: a writer may put another array there, of another length
            long word = word(now, search(now, places, tag, check));
            if (lock.validate(stamp)) {
                return locationIn(word);
            }
        }
        stamp = lock.readLock();
        try {
            return locationIn(word(cells, search(cells, places, tag, check)));
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Reads, without a look at it, where the search for a tag would begin. */
    long touch(long tag) {
        long[] now = cells;
        return now[Math.min(2 * home(tag, places), now.length - 1)];
    }

    private static long word(long[] cells, int at) {
        return at < 0 ? 0 : cells[at + 1];
    }

    private static long locationIn(long word) {
        long location = word & LOCATION;
        return location == CLAIMED ? 0 : location;
    }

    /**
     * The index of an entry's first cell, or -1. The cells may be changing, so nothing but the array's length is sure.
     */
    private static int search(long[] cells, int places, long tag, long check) {
        for (int at = 2 * home(tag, places); at < cells.length; at += 2) {
            long word = cells[at + 1];
            long other = cells[at];
            if (word == 0 || Long.compareUnsigned(other, tag) > 0) {
                return -1;
            }
            if (other == tag && (word & ~LOCATION) == check) {
                return at;
            }
        }
        return -1;
    }

    private static int home(long tag, int places) {
        return (int) ((tag >>> 32) * places >>> 32);
    }

    /** Takes a place for a key that no other put has claimed; readers do not see it yet. */
    Claim claim(long tag, long check, ByteBudget budget) {
        long stamp = lock.writeLock();
        try {
            if (closed) {
                return Claim.REFUSED;
            }
            if (search(cells, places, tag, check) >= 0) {
                return Claim.HELD;
            }
            return add(tag, check | CLAIMED, budget) ? Claim.GRANTED : Claim.REFUSED;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private boolean add(long tag, long word, ByteBudget budget) {
        boolean placed = size + 1 <= places * FULLEST && insert(tag, word);
        while (!placed) {
            if (!grow(budget)) {
                return false;
            }
            placed = insert(tag, word);
        }
        size++;
        return true;
    }

    /** Sets the location of a tag and a check, new or not; the one before, or 0. */
    long put(long tag, long check, long location, ByteBudget budget) {
        long stamp = lock.writeLock();
        try {
            int at = search(cells, places, tag, check);
            if (at >= 0) {
                long before = locationIn(cells[at + 1]);
                cells[at + 1] = check | location;
                return before;
            }
            if (!closed) {
                add(tag, check | location, budget);
            }
            return 0;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Replaces a location if it is the expected one, 0 for one that is claimed; by 0, the key is forgotten. */
    boolean replace(long tag, long check, long expected, long location) {
        long stamp = lock.writeLock();
        try {
            int at = search(cells, places, tag, check);
            if (at < 0 || locationIn(cells[at + 1]) != expected) {
                return false;
            }
            if (location == 0) {
                removeAt(at);
            } else {
                cells[at + 1] = check | location;
            }
            return true;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private boolean insert(long tag, long word) {
        int at = 2 * home(tag, places);
        while (cells[at + 1] != 0 && Long.compareUnsigned(cells[at], tag) <= 0) {
            at += 2;
        }
        int gap = at;
        while (cells[gap + 1] != 0) {
            gap += 2;
        }
        if (gap == cells.length - 2) {
            return false;
        }
        System.arraycopy(cells, at, cells, at + 2, gap - at);
        cells[at] = tag;
        cells[at + 1] = word;
        return true;
    }

    private boolean grow(ByteBudget budget) {
        int sparse = (int) Math.ceil((size + 1) / AFTER_GROWTH);
        int dense = (int) Math.ceil((size + 1) / FULLEST);
        // at the end of the budget in small steps, so that values of a few bytes can use it up too
        return growTo(Math.max(sparse, places + places / 8 + 1), budget)
                || growTo(Math.max(dense, places + places / 64 + 1), budget);
    }

    private boolean growTo(int needed, ByteBudget budget) {
        int larger = needed;
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            long cost = (long) Long.BYTES * (2L * entriesFor(larger) - cells.length);
            if (!budget.take(cost)) {
                return false;
            }
            long[] grown = new long[2 * entriesFor(larger)];
            if (spread(cells, grown, larger)) {
                cells = grown;
                places = larger;
                return true;
            }
            budget.giveBack(cost);
            larger += larger / 16 + 1;
        }
        return false;
    }

    /** Writes the entries of one array into a larger one, in order. */
    private static boolean spread(long[] from, long[] to, int places) {
        int next = 0;
        for (int i = 0; i < from.length; i += 2) {
            if (from[i + 1] != 0) {
                int at = Math.max(next, 2 * home(from[i], places));
                if (at >= to.length - 2) {
                    return false;
                }
                to[at] = from[i];
                to[at + 1] = from[i + 1];
                next = at + 2;
            }
        }
        return true;
    }

    private void removeAt(int at) {
        int end = at + 2;
        while (cells[end + 1] != 0 && 2 * home(cells[end], places) < end) {
            end += 2;
        }
        System.arraycopy(cells, at + 2, cells, at, end - at - 2);
        cells[end - 2] = 0;
        cells[end - 1] = 0;
        size--;
    }

    /** Changes all locations, one of 0 being forgotten; returns how many were. */
    int rewrite(LongUnaryOperator change) {
        long stamp = lock.writeLock();
        try {
            int before = size;
            int next = 0;
            for (int i = 0; i < cells.length; i += 2) {
                long tag = cells[i];
                long word = cells[i + 1];
                if (word != 0) {
                    cells[i] = 0;
                    cells[i + 1] = 0;
                    long location = change.applyAsLong(word & LOCATION);
                    if (location == 0) {
                        size--;
                    } else {
                        int at = Math.max(next, 2 * home(tag, places));
                        cells[at] = tag;
                        cells[at + 1] = word & ~LOCATION | location;
                        next = at + 2;
                    }
                }
            }
            return before - size;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Forgets everything and refuses from now on. */
    void close() {
        long stamp = lock.writeLock();
        try {
            closed = true;
            cells = new long[2];
            places = 1;
            size = 0;
        } finally {
            lock.unlockWrite(stamp);
        }
    }
}
