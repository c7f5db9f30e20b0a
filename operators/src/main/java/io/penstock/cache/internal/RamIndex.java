package io.penstock.cache.internal;

import io.penstock.cache.SampleKey;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

/**
 * From a key to a location, for any number of threads, at 17.4 to 19.6 bytes a sample.
 *
 * <p>How sure a hit is: a key has 128 bits. They are mixed by a bijection, so that keys which differ in a few bits only
 * are spread as well as hashes are. Of the result 64 bits are kept as the entry's tag, 14 more beside its location, and
 * up to 12 are the segment's number, so two keys are confused only if they agree in 78 + log2(segments) bits. Among n
 * keys the odds that any two do are n²/2 in 2 to that power: for 10^9 samples (4096 segments then) 1 in 10^9 over the
 * life of the cache, for 10^7 samples of 1 KiB (512 segments) 1 in 10^12. A memory error that ECC misses is likelier,
 * and the remaining bits would cost 4 or more bytes a sample.
 *
 * <p>It lies on the heap: 10^7 samples take 0.2 GB of it. Growing works by segment, so that no array is large: a copy
 * is made of a 4096th of a large index at a time, and readers of one segment wait for it, 1 ms at 10^9 samples. How
 * many segments there are is settled by the length of the first value, such that their arrays, when the budget is used
 * up by values of that length, take 256 to 512 KiB. Larger ones the G1 collector would round up to whole regions (10^7
 * samples took 26.9 bytes each that way), and of more and smaller ones the empty ones would weigh, where a budget of
 * gigabytes holds a few thousand large values.
 */
public final class RamIndex {

    private static final int MAX_SEGMENTS = 4096;
    private static final long SEGMENT_BYTES = 256 << 10;
    private static final int ENTRY_BYTES = 18;
    private static final int SHORT_VALUE = 4096;
    private static final int CHECK_SHIFT = RamSegment.LOCATION_BITS;

    private final ByteBudget budget;
    private final Object settling = new Object();
    private volatile RamSegment[] segments;
    private volatile boolean sized;

    /**
     * @param budget what growing is paid from; the first segment is the caller's to pay: {@link #bytesWhenEmpty} of 1
     */
    public RamIndex(ByteBudget budget) {
        this(1, budget);
        this.sized = false;
    }

    /** @param budget what growing is paid from; {@link #bytesWhenEmpty} is the caller's to pay */
    public RamIndex(int segments, ByteBudget budget) {
        this.budget = budget;
        this.segments = empty(segments);
        this.sized = true;
    }

    /** An index that grows as it must, for a tier whose values take about the given number of bytes at most. */
    public static RamIndex forValuesOf(long bytes) {
        return new RamIndex(segmentsFor(bytes, SHORT_VALUE), new ByteBudget(Long.MAX_VALUE));
    }

    private static RamSegment[] empty(int count) {
        RamSegment[] empty = new RamSegment[count];
        for (int i = 0; i < count; i++) {
            empty[i] = new RamSegment();
        }
        return empty;
    }

    /** Told the length of a value before it is claimed; the first one settles how many segments there are. */
    public void expect(int length) {
        if (!sized) {
            settle(length);
        }
    }

    private void settle(int length) {
        synchronized (settling) {
            int count = segmentsFor(budget.total(), length);
            if (!sized && count > 1 && budget.take(bytesWhenEmpty(count) - bytesWhenEmpty(1))) {
                segments = empty(count); // until now nothing could be claimed, so nothing is lost
            }
            sized = true;
        }
    }

    /** A power of two: enough for writers not to meet, few enough for the empty segments not to matter. */
    static int segmentsFor(long budget, int length) {
        long few = Math.min(16, budget >>> 16);
        long bySize = budget / (length + ENTRY_BYTES) * ENTRY_BYTES / SEGMENT_BYTES;
        return (int) Long.highestOneBit(Math.max(1, Math.min(MAX_SEGMENTS, Math.max(few, bySize))));
    }

    public static long bytesWhenEmpty(int segments) {
        return segments * (RamSegment.bytesWhenEmpty() + Integer.BYTES);
    }

    /** The location published for a key, or 0. */
    public long find(SampleKey key) {
        long tag = tag(key);
        long rest = rest(key, tag);
        return segment(rest).find(tag, check(rest));
    }

    /** Has the places fetched where these keys would be found; what it returns means nothing. */
    public int touch(SampleKey[] keys) {
        long sum = 0;
        for (SampleKey key : keys) {
            long tag = tag(key);
            sum += segment(rest(key, tag)).touch(tag);
        }
        return (int) sum;
    }

    public RamSegment.Claim claim(SampleKey key) {
        long tag = tag(key);
        long rest = rest(key, tag);
        return segment(rest).claim(tag, check(rest), budget);
    }

    /** Shows the readers where the value of a claimed key lies; {@code false} if the index was closed meanwhile. */
    public boolean publish(SampleKey key, long location) {
        return replace(key, 0, location);
    }

    /** Gives a claim back. */
    public void release(SampleKey key) {
        publish(key, 0);
    }

    /** Forgets a key whose value is published, and says where that was; 0 if there is none. */
    public long take(SampleKey key) {
        long location = find(key);
        while (location != 0 && !replace(key, location, 0)) {
            location = find(key);
        }
        return location;
    }

    /** Forgets all keys whose values lie in such a place, by looking at every one; returns how many. */
    public int removeIf(LongPredicate place) {
        return rewrite(location -> place.test(location) ? 0 : location);
    }

    /**
     * Gives every location another, by looking at each; 0 forgets the key.
     * @param change from one location in [2, 2^50) to another, or to 0; called under a lock, so it must not use the index
     * @return how many keys were forgotten
     */
    public int rewrite(LongUnaryOperator change) {
        int removed = 0;
        for (RamSegment segment : segments) {
            removed += segment.rewrite(change);
        }
        return removed;
    }

    /**
     * Notes where the value of a key lies, whether or not the key was there.
     * @param location in [2, 2^50)
     * @return the location before, or 0
     */
    public long put(SampleKey key, long location) {
        long tag = tag(key);
        long rest = rest(key, tag);
        return segment(rest).put(tag, check(rest), location, budget);
    }

    /** Changes the location of a key if it is the expected one, 0 for one that is claimed; by 0, forgets the key. */
    public boolean replace(SampleKey key, long expected, long location) {
        long tag = tag(key);
        long rest = rest(key, tag);
        return segment(rest).replace(tag, check(rest), expected, location);
    }

    private RamSegment segment(long rest) {
        RamSegment[] all = segments;
        return all[(int) rest & all.length - 1];
    }

    private static long check(long rest) {
        return rest >>> CHECK_SHIFT << CHECK_SHIFT;
    }

    // (high, low) -> (tag, rest) is a bijection: rest and tag give high, high and tag give low

    private static long tag(SampleKey key) {
        return mix(key.low() ^ mix(key.high()));
    }

    private static long rest(SampleKey key, long tag) {
        return mix(key.high() ^ tag);
    }

    /** Variant 13 of Stafford's finaliser, a bijection. */
    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** What the index takes now, in all. */
    public long bytes() {
        RamSegment[] all = segments;
        long sum = (long) Integer.BYTES * all.length;
        for (RamSegment segment : all) {
            sum += segment.bytes();
        }
        return sum;
    }

    /** What the largest segment takes now. */
    long largestSegment() {
        return Stream.of(segments).mapToLong(RamSegment::bytes).max().orElse(0);
    }

    /** Forgets everything and refuses from now on. */
    public void close() {
        synchronized (settling) {
            sized = true;
            for (RamSegment segment : segments) {
                segment.close();
            }
        }
    }
}
