package io.penstock.cache.chronicle.internal;

/**
 * Where a value lies, in the 50 bits that the index has for it. From the highest bit on: 1 bit that says whether the
 * value was read since it was written (LRU caches only); 4 bits of length code; 19 bits of segment number, from 1; 25
 * bits of position in units of 64 bytes; 1 bit that says whether this process has verified the value's checksum, key
 * and length. The place is the number and the position.
 */
public final class Location {

    static final int CODES = 1 << 4;

    /** Segment numbers are less than this. */
    public static final int NUMBERS = 1 << 19;

    static final long CHECKED = 1;

    private static final int POSITION_BITS = 25;
    private static final int PLACE_BITS = 19 + POSITION_BITS;
    private static final int CODE_SHIFT = 1 + PLACE_BITS;
    static final long USED = (long) CODES << CODE_SHIFT;

    private Location() {}

    /** Of a value that nothing is known of yet. */
    public static long of(Segment segment, long valueAt) {
        return place(segment, valueAt) << 1;
    }

    static long place(Segment segment, long valueAt) {
        return (long) segment.number << POSITION_BITS | valueAt / LogEntry.ALIGNMENT;
    }

    static long place(long location) {
        return location >>> 1 & (1L << PLACE_BITS) - 1;
    }

    static int number(long location) {
        return (int) (place(location) >>> POSITION_BITS);
    }

    static long position(long location) {
        return (place(location) & (1L << POSITION_BITS) - 1) * LogEntry.ALIGNMENT;
    }

    static int code(long location) {
        return (int) (location >>> CODE_SHIFT) & CODES - 1;
    }

    static boolean isChecked(long location) {
        return (location & CHECKED) != 0;
    }

    /** The same place, as if its value had not been looked at yet. */
    static long unchecked(long location) {
        return location & ~(CHECKED | (long) (CODES - 1) << CODE_SHIFT);
    }

    static boolean isUsed(long location) {
        return (location & USED) != 0;
    }

    /** The same place, with a code for the length of what lies there, which was checked. */
    static long checked(long location, int code) {
        return location | CHECKED | (long) code << CODE_SHIFT;
    }
}
