package io.penstock.cache;

import io.penstock.pipeline.SampleKey;

/**
 * From a key to a location, for any number of threads, at 17.4 to 19.6 bytes a sample.
 *
 * <p>How sure a hit is: a key has 128 bits. They are mixed by a bijection, so that keys which differ in a few bits
 * only are spread as well as hashes are. Of the result 64 bits are kept as the entry's tag, 14 more beside its location,
 * and up to 12 are the segment's number, so two keys are confused only if they agree in 78 + log2(segments) bits. Among n
 * keys the odds that any two do are n²/2 in 2 to that power: for 10^9 samples (4096 segments then) 1 in 10^9 over the life
 * of the cache, for 10^7 samples of 1 KiB (512 segments) 1 in 10^12. A memory error that ECC misses is likelier, and
 * the remaining bits would cost 4 or more bytes a sample.
 *
 * <p>It lies on the heap: 10^7 samples take 0.2 GB of it. Growing works by segment, so that no array is large: a copy is
 * made of a 4096th of a large index at a time, and readers of one segment wait for it, 1 ms at 10^9 samples.
 */
final class RamIndex {

    private static final int MAX_SEGMENTS = 4096;
    private static final long BUDGET_A_SEGMENT = 16 << 20;
    private static final int CHECK_SHIFT = RamSegment.LOCATION_BITS;

    private final RamSegment[] segments;
    private final ByteBudget budget;

    /** @param budget what growing is paid from; {@link #bytesWhenEmpty} is the caller's to pay */
    RamIndex(int segments, ByteBudget budget) {
        this.segments = new RamSegment[segments];
        this.budget = budget;
        for (int i = 0; i < segments; i++) {
            this.segments[i] = new RamSegment();
        }
    }

    /** A power of two: enough for writers not to meet, few enough for the empty segments not to matter. */
    static int segmentsFor(long budget) {
        long few = Math.min(16, budget >>> 16);
        return (int) Long.highestOneBit(Math.max(1, Math.min(MAX_SEGMENTS, Math.max(few, budget / BUDGET_A_SEGMENT))));
    }

    static long bytesWhenEmpty(int segments) {
        return segments * (RamSegment.bytesWhenEmpty() + Integer.BYTES);
    }

    /** The location published for a key, or 0. */
    long find(SampleKey key) {
        long tag = tag(key);
        long rest = rest(key, tag);
        return segment(rest).find(tag, check(rest));
    }

    /** Has the places fetched where these keys would be found; what it returns means nothing. */
    int touch(SampleKey[] keys) {
        long sum = 0;
        for (SampleKey key : keys) {
            long tag = tag(key);
            sum += segment(rest(key, tag)).touch(tag);
        }
        return (int) sum;
    }

    RamSegment.Claim claim(SampleKey key) {
        long tag = tag(key);
        long rest = rest(key, tag);
        return segment(rest).claim(tag, check(rest), budget);
    }

    boolean publish(SampleKey key, long location) {
        long tag = tag(key);
        long rest = rest(key, tag);
        return segment(rest).publish(tag, check(rest), location);
    }

    void remove(SampleKey key) {
        long tag = tag(key);
        long rest = rest(key, tag);
        segment(rest).remove(tag, check(rest));
    }

    private RamSegment segment(long rest) {
        return segments[(int) rest & segments.length - 1];
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
    long bytes() {
        long sum = (long) Integer.BYTES * segments.length;
        for (RamSegment segment : segments) {
            sum += segment.bytes();
        }
        return sum;
    }

    void close() {
        for (RamSegment segment : segments) {
            segment.close();
        }
    }
}
