package io.penstock.cache.chronicle.internal;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.LengthCodes;
import io.penstock.cache.internal.RamIndex;
import io.penstock.internal.AccessFaults;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Where in the segments the value of each key lies.
 *
 * <p>A value is found by its {@link Location}; a location of a dropped segment is a miss. Length codes other than 0
 * stand for lengths that were read twice in a row: such a value is found without a look at its header, which is a wait
 * for memory that copying a kilobyte does not hide.
 *
 * <p>Of two entries for one key the one with the higher sequence number counts, and a tombstone hides what is older
 * than it, so it does not matter in which order the logs of several processes are read.
 */
public final class DiskIndex implements SegmentScanner.Finds {

    private final AccessFaults faults = new AccessFaults();
    private final RamIndex index;
    private final Segments segments;
    private final boolean checkAlways;
    private final boolean notesUse;
    private final ConcurrentMap<SampleKey, Long> tombstones = new ConcurrentHashMap<>();
    private final AtomicLong samples = new AtomicLong();
    private final AtomicLong lastSequence = new AtomicLong(-1);
    private final AtomicLong damaged = new AtomicLong();
    private final LongAdder evicted = new LongAdder();

    private final LengthCodes lengths = new LengthCodes();

    /** @param notesUse whether to note which values are asked for, for an LRU cache */
    public DiskIndex(RamIndex index, Segments segments, boolean checkAlways, boolean notesUse) {
        this.index = index;
        this.segments = segments;
        this.checkAlways = checkAlways;
        this.notesUse = notesUse;
    }

    /** The value; {@code null} is a miss. */
    public @Nullable ByteBuffer find(SampleKey key) {
        for (long location = index.find(key); location != 0; location = index.find(key)) {
            Segment segment = segments.of(location);
            if (segment == null) {
                if (index.replace(key, location, 0)) {
                    samples.decrementAndGet();
                    return null;
                }
            } else if (!segments.reuses() || Location.place(index.find(key)) == Location.place(location)) {
                return read(key, location, segment);
            }
        }
        return null;
    }

    private @Nullable ByteBuffer read(SampleKey key, long location, Segment segment) {
        ByteBuffer file = segment.bytes();
        long at = Location.position(location);
        int code = Location.code(location);
        if (code != 0 && !checkAlways) {
            note(key, location, location, segment);
            return file.slice((int) at, lengths.length(code));
        }
        int length = LogEntry.lengthOf(key, file, at);
        ByteBuffer value = length < 0 ? null : file.slice((int) at, length);
        boolean unchecked = !Location.isChecked(location);
        boolean damaged = value == null || (unchecked || checkAlways) && !LogEntry.matches(key, value, file, at);
        faults.raise(); // here, and not while a lock of the index is taken, which nothing would release then
        if (value == null || damaged) {
            forgetDamaged(key, location, segment);
            return null;
        }
        note(key, location, unchecked ? Location.checked(location, codeOf(length)) : location, segment);
        return value;
    }

    /** Notes beside a location what is known of it now, and in an LRU cache that the value was asked for. */
    private void note(SampleKey key, long location, long known, Segment segment) {
        long noted = notesUse ? known | Location.USED : known;
        if (noted != location && index.replace(key, location, noted) && notesUse && !Location.isUsed(location)) {
            segment.usedEntries.incrementAndGet();
        }
    }

    /** In an LRU cache: as if the value had been asked for. */
    public void use(SampleKey key) {
        long location = notesUse ? index.find(key) : 0;
        Segment segment = location == 0 ? null : segments.of(location);
        if (segment != null) {
            note(key, location, location, segment);
        }
    }

    public int touch(SampleKey[] keys) {
        return index.touch(keys);
    }

    private int codeOf(int length) {
        synchronized (lengths) {
            return lengths.of(length);
        }
    }

    private void forgetDamaged(SampleKey key, long location, Segment segment) {
        long now = index.find(key);
        if (Location.place(now) == Location.place(location) && index.replace(key, now, 0)) {
            samples.decrementAndGet();
            bury(location);
            damage(segment);
        }
    }

    /** Forgets a key whose value cannot be read. */
    public void forgetUnreadable(SampleKey key) {
        long location = index.find(key);
        if (location != 0 && index.replace(key, location, 0)) {
            samples.decrementAndGet();
            damaged.incrementAndGet();
        }
    }

    /** Forgets everything in a segment that cannot be read any more; false if another thread did. */
    boolean lose(Segment segment) {
        if (segments.of(Location.of(segment, 0)) != segment) {
            return false;
        }
        segment.ended = true;
        samples.addAndGet(-index.rewrite(location -> Location.number(location) == segment.number ? 0 : location));
        boolean first = segments.lose(segment);
        if (first) {
            damaged.incrementAndGet();
        }
        return first;
    }

    /** Has every value's checksum compared again when it is read next. */
    void uncheck() {
        int forgotten = index.rewrite(Location::unchecked);
        assert forgotten == 0;
    }

    public boolean contains(SampleKey key) {
        return index.find(key) != 0;
    }

    @Override
    public void entry(Segment segment, int kind, long valueAt) {
        ByteBuffer file = segment.bytes();
        switch (kind) {
            case LogEntry.VALUE -> {
                SampleKey key = LogEntry.key(file, valueAt);
                long sequence = LogEntry.sequence(file, valueAt);
                int length = LogEntry.length(file, valueAt);
                faults.raise();
                value(segment, valueAt, key, sequence, length);
            }
            case LogEntry.TOMBSTONE -> {
                SampleKey key = LogEntry.key(file, valueAt);
                long sequence = LogEntry.sequence(file, valueAt);
                faults.raise();
                tombstone(segment, key, sequence);
            }
            default -> damage(segment);
        }
    }

    void value(Segment segment, long valueAt, SampleKey key, long sequence, int length) {
        count(segment, sequence, length);
        Long removed = tombstones.isEmpty() ? null : tombstones.get(key);
        if (removed != null && removed > sequence) {
            return;
        }
        long location = Location.of(segment, valueAt);
        long before = index.put(key, location);
        if (before == 0) {
            samples.incrementAndGet();
        } else if (sequenceAt(before) >= sequence) {
            index.replace(key, location, before);
            return;
        } else {
            bury(before);
        }
        segment.countLive(1, length);
    }

    private void count(Segment segment, long sequence, int length) {
        lastSequence.accumulateAndGet(sequence, Math::max);
        segment.entries.incrementAndGet();
        segment.entryBytes.addAndGet(LogEntry.bytes(length));
        segment.oldestValue = Math.min(segment.oldestValue, sequence);
    }

    /**
     * A value was appended once more; its key leads there from now on, unless it led elsewhere or was forgotten
     * meanwhile.
     */
    void moved(SampleKey key, long fromPlace, Segment to, long toAt, long sequence, int length) {
        count(to, sequence, length);
        to.countLive(1, length);
        for (long now = index.find(key); Location.place(now) == fromPlace; now = index.find(key)) {
            if (index.replace(key, now, Location.of(to, toAt))) {
                bury(now);
                return;
            }
        }
        to.countLive(-1, length);
    }

    /** Whether a key leads to this place, and its value is there as it was written; one that is not is forgotten. */
    boolean isWhole(SampleKey key, Segment segment, long valueAt) {
        long location = index.find(key);
        if (location == 0 || Location.place(location) != Location.place(segment, valueAt)) {
            return false;
        }
        ByteBuffer file = segment.bytes();
        int length = LogEntry.lengthOf(key, file, valueAt);
        boolean whole = length >= 0 && LogEntry.matches(key, file.slice((int) valueAt, length), file, valueAt);
        faults.raise();
        if (!whole) {
            forgetDamaged(key, location, segment);
        }
        return whole;
    }

    /**
     * Forgets what lies in one segment, but for what was asked for if that is to stay, and takes what was asked for in
     * others as not asked for.
     * @return where the values lie of what is left in the one, in no order
     */
    long[] evict(Segment segment, boolean keepUsed, Set<Segment> spared) {
        Set<Integer> unmarked = new HashSet<>();
        for (Segment other : spared) {
            unmarked.add(other.number);
            other.usedEntries.set(0);
        }
        LongStream.Builder left = LongStream.builder();
        int forgotten = index.rewrite(location -> {
            int number = Location.number(location);
            if (number != segment.number) {
                return Location.isUsed(location) && unmarked.contains(number) ? location & ~Location.USED : location;
            }
            if (!keepUsed || !Location.isUsed(location)) {
                return 0;
            }
            left.add(Location.position(location));
            return location;
        });
        samples.addAndGet(-forgotten);
        evicted.add(forgotten);
        return left.build().toArray();
    }

    private long sequenceAt(long location) {
        Segment segment = segments.of(location);
        if (segment == null) {
            return -1;
        }
        long sequence = LogEntry.sequence(segment.bytes(), Location.position(location));
        faults.raise();
        return sequence;
    }

    private void bury(long location) {
        Segment segment = segments.of(location);
        if (segment != null) {
            segment.usedEntries.addAndGet(Location.isUsed(location) ? -1 : 0);
            faults.raise(); // those of before are not of this
            try {
                int length = LogEntry.length(segment.bytes(), Location.position(location));
                faults.raise();
                segment.countLive(-1, length);
            } catch (InternalError e) {
                // it was cut shorter, and is lost with all that it counts
            }
        }
    }

    void tombstone(Segment segment, SampleKey key, long sequence) {
        lastSequence.accumulateAndGet(sequence, Math::max);
        segment.youngestTombstone = Math.max(segment.youngestTombstone, sequence);
        tombstones.merge(key, sequence, Math::max);
        long location = index.find(key);
        if (location != 0 && sequenceAt(location) < sequence) {
            forget(key);
        }
    }

    private void damage(Segment segment) {
        segment.damaged.incrementAndGet();
        damaged.incrementAndGet();
    }

    /** Forgets a key in this process; whether it was there. */
    public boolean forget(SampleKey key) {
        for (long location = index.find(key); location != 0; location = index.find(key)) {
            if (index.replace(key, location, 0)) {
                samples.decrementAndGet();
                bury(location);
                return true;
            }
        }
        return false;
    }

    /** Is told of each value in the files: where it lies, and whether a look-up of its key finds it. */
    public interface Visitor {
        void entry(SampleKey key, Provenance provenance, String segment, long position, int bytes, boolean live);
    }

    /** Everything that was written to the files and is whole, by going through their headers. */
    public void forEach(Visitor use) {
        for (Segment segment : segments.all()) {
            InternalError cut = new SegmentScanner((copy, kind, at) -> visit(segment, kind, at, copy.bytes(), use))
                    .scan(segment.again());
            if (cut != null) {
                damage(segment); // what follows is unknown
            }
        }
    }

    private void visit(Segment segment, int kind, long at, ByteBuffer file, Visitor use) {
        if (kind == LogEntry.VALUE) {
            SampleKey key = LogEntry.key(file, at);
            boolean live = Location.place(index.find(key)) == Location.place(segment, at);
            use.entry(key, LogEntry.provenance(file, at), segment.name(), at, LogEntry.length(file, at), live);
        }
    }

    /** Forgets the tombstones that are older than every value. */
    void forgetTombstones() {
        if (!tombstones.isEmpty()) {
            long oldest = segments.oldestValue();
            tombstones.values().removeIf(sequence -> sequence < oldest);
        }
    }

    public long lastSequence() {
        return lastSequence.get();
    }

    public long samples() {
        return samples.get();
    }

    public long damaged() {
        return damaged.get();
    }

    public long evicted() {
        return evicted.sum();
    }

    public long indexBytes() {
        return index.bytes();
    }

    public void close() {
        index.close();
        segments.close();
    }
}
