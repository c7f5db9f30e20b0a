package io.penstock.cache.chronicle;

import io.penstock.cache.RamIndex;
import io.penstock.pipeline.SampleKey;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which segments there are, and where in them the value of each key lies.
 *
 * <p>A location is 4 bits of length code, 20 bits of segment number, from 1, 25 bits of position in units of 64 bytes, and a
 * bit that says that the value's checksum was looked at, and with it its key and length. Numbers are never used twice: a
 * location of a dropped segment is a miss. Codes other than 0 stand for lengths that were read twice in a row: such a value
 * is found without a look at its header, which is a wait for memory that copying a kilobyte does not hide.
 *
 * <p>Of two entries for one key the one with the higher sequence number counts, and a tombstone hides what is older than it,
 * so it does not matter in which order the logs of several processes are read.
 */
final class Catalogue implements Walk.Finds {

    private static final int POSITION_BITS = 25;
    private static final int NUMBER_BITS = 20;
    private static final int MAX_SEGMENTS = 1 << NUMBER_BITS;
    private static final int PLACE_BITS = 1 + POSITION_BITS + NUMBER_BITS;
    private static final int CODES = 1 << 4;

    private final RamIndex index;
    private final boolean checkAlways;
    private final Object numbering = new Object();
    private final ConcurrentMap<SampleKey, Long> tombstones = new ConcurrentHashMap<>();
    private final AtomicLong samples = new AtomicLong();
    private final AtomicLong lastSequence = new AtomicLong(-1);
    private final AtomicLong damaged = new AtomicLong();
    private volatile @Nullable Segment[] segments = new Segment[16];
    private int count;

    /** By code. An element is written once, before any location with it is published. */
    private final int[] lengths = new int[CODES];

    private int codes = 1;
    private int lastLength = -1;

    Catalogue(RamIndex index, boolean checkAlways) {
        this.index = index;
        this.checkAlways = checkAlways;
    }

    /** A number for a file. Elements are written before any location with their number is published. */
    Segment add(Path file) {
        synchronized (numbering) {
            int number = ++count;
            if (number == MAX_SEGMENTS) {
                throw new IllegalStateException("more than %d segments; choose larger ones".formatted(MAX_SEGMENTS));
            }
            if (number == segments.length) {
                segments = Arrays.copyOf(segments, 2 * number);
            }
            Segment segment = new Segment(file, number);
            segments[number] = segment;
            return segment;
        }
    }

    /** Makes misses of whatever was still found in it. */
    void drop(Segment segment) {
        synchronized (numbering) {
            @Nullable Segment[] fewer = segments.clone();
            fewer[segment.number] = null;
            segments = fewer;
        }
    }

    List<Segment> segments() {
        return Stream.of(segments)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    /** The value; {@code null} is a miss. */
    @Nullable ByteBuffer find(SampleKey key) {
        long location = index.find(key);
        if (location == 0) {
            return null;
        }
        Segment segment = segmentOf(location);
        if (segment == null) {
            index.replace(key, location, 0);
            return null;
        }
        ByteBuffer file = segment.bytes();
        int code = (int) (location >>> PLACE_BITS);
        if (code != 0 && !checkAlways) {
            return file.slice((int) positionOf(location), lengths[code]);
        }
        long at = positionOf(location);
        int length = Entry.lengthOf(key, file, at);
        ByteBuffer value = length < 0 ? null : file.slice((int) at, length);
        boolean unchecked = (location & 1) == 0;
        if (value == null || (unchecked || checkAlways) && !Entry.matches(key, value, file, at)) {
            forgetDamaged(key, location, segment);
            return null;
        }
        if (unchecked) {
            index.replace(key, location, location | 1 | (long) codeOf(length) << PLACE_BITS);
        }
        return value;
    }

    int touch(SampleKey[] keys) {
        return index.touch(keys);
    }

    private int codeOf(int length) {
        synchronized (numbering) {
            for (int code = 1; code < codes; code++) {
                if (lengths[code] == length) {
                    return code;
                }
            }
            if (length == lastLength && codes < CODES) {
                lengths[codes] = length;
                return codes++;
            }
            lastLength = length;
            return 0;
        }
    }

    private void forgetDamaged(SampleKey key, long location, Segment segment) {
        long now = index.find(key);
        if (placeOf(now) == placeOf(location) && index.replace(key, now, 0)) {
            samples.decrementAndGet();
            bury(location);
            damage(segment);
        }
    }

    private static long placeOf(long location) {
        return location >>> 1 & (1L << PLACE_BITS - 1) - 1;
    }

    private @Nullable Segment segmentOf(long location) {
        @Nullable Segment[] all = segments;
        int number = (int) (placeOf(location) >>> POSITION_BITS);
        return number < all.length ? all[number] : null;
    }

    private static long positionOf(long location) {
        return (location >>> 1 & (1L << POSITION_BITS) - 1) * Entry.ALIGNMENT;
    }

    boolean contains(SampleKey key) {
        return index.find(key) != 0;
    }

    @Override
    public void value(Segment segment, long valueAt, SampleKey key, long sequence, int length) {
        lastSequence.accumulateAndGet(sequence, Math::max);
        segment.entries.incrementAndGet();
        segment.entryBytes.addAndGet(Entry.bytes(length));
        segment.oldestValue = Math.min(segment.oldestValue, sequence);
        Long removed = tombstones.isEmpty() ? null : tombstones.get(key);
        if (removed != null && removed > sequence) {
            return;
        }
        long location = ((long) segment.number << POSITION_BITS | valueAt / Entry.ALIGNMENT) << 1;
        long before = index.put(key, location);
        if (before == 0) {
            samples.incrementAndGet();
        } else if (sequenceAt(before) >= sequence) {
            index.replace(key, location, before);
            return;
        } else {
            bury(before);
        }
        segment.liveEntries.incrementAndGet();
        segment.liveBytes.addAndGet(Entry.bytes(length));
    }

    private long sequenceAt(long location) {
        Segment segment = segmentOf(location);
        return segment == null ? -1 : Entry.sequence(segment.bytes(), positionOf(location));
    }

    private void bury(long location) {
        Segment segment = segmentOf(location);
        if (segment != null) {
            segment.liveEntries.decrementAndGet();
            int length = Entry.length(segment.bytes(), positionOf(location));
            segment.liveBytes.addAndGet(-Entry.bytes(length));
        }
    }

    @Override
    public void tombstone(Segment segment, SampleKey key, long sequence) {
        lastSequence.accumulateAndGet(sequence, Math::max);
        segment.youngestTombstone = Math.max(segment.youngestTombstone, sequence);
        tombstones.merge(key, sequence, Math::max);
        long location = index.find(key);
        if (location != 0 && sequenceAt(location) < sequence) {
            forget(key);
        }
    }

    @Override
    public void damage(Segment segment) {
        segment.damaged.incrementAndGet();
        damaged.incrementAndGet();
    }

    /** Forgets a key in this process; whether it was there. */
    boolean forget(SampleKey key) {
        for (long location = index.find(key); location != 0; location = index.find(key)) {
            if (index.replace(key, location, 0)) {
                samples.decrementAndGet();
                bury(location);
                return true;
            }
        }
        return false;
    }

    /** Everything that was written to the files and is whole, by going through their headers. */
    void forEach(Consumer<KeptEntry> use) {
        for (Segment segment : segments()) {
            new Walk(new Kept(segment, use)).on(segment.again());
        }
    }

    private final class Kept implements Walk.Finds {
        private final Segment kept;
        private final Consumer<KeptEntry> use;

        Kept(Segment kept, Consumer<KeptEntry> use) {
            this.kept = kept;
            this.use = use;
        }

        @Override
        public void value(Segment copy, long valueAt, SampleKey key, long sequence, int length) {
            boolean live =
                    placeOf(index.find(key)) == ((long) kept.number << POSITION_BITS | valueAt / Entry.ALIGNMENT);
            use.accept(new KeptEntry(key, Entry.origin(copy.bytes(), valueAt), kept.name(), valueAt, length, live));
        }

        @Override
        public void tombstone(Segment copy, SampleKey key, long sequence) {}

        @Override
        public void damage(Segment copy) {}
    }

    /** Whether nothing in a segment is needed: no value, and no tombstone that hides an older one elsewhere. */
    boolean isSpent(Segment segment) {
        return segment.liveEntries.get() == 0
                && segments().stream()
                        .noneMatch(other -> other != segment && other.oldestValue < segment.youngestTombstone);
    }

    /** The finished segments of which no value is found any more, and that hide none elsewhere. */
    List<Segment> dead() {
        List<Segment> dead = new ArrayList<>(0);
        for (Segment segment : segments) {
            if (segment != null && segment.sealed && segment.liveEntries.get() == 0 && segment.youngestTombstone < 0) {
                dead.add(segment);
            }
        }
        return dead;
    }

    long lastSequence() {
        return lastSequence.get();
    }

    long samples() {
        return samples.get();
    }

    long damaged() {
        return damaged.get();
    }

    long indexBytes() {
        return index.bytes();
    }

    void close() {
        index.close();
        segments = new Segment[1];
    }
}
