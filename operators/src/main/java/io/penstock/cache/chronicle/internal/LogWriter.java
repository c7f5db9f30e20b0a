package io.penstock.cache.chronicle.internal;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Appends to this process's own log, in segments whose room is claimed, first from the budget, then from the file
 * system, before anything is written to them. What a segment did not need is given back when it is left. Confined to
 * one thread.
 */
public final class LogWriter implements AutoCloseable {

    public static final int PAGE = 4096;

    /** Of the largest value that is taken. */
    public static final int MAX_VALUE_BYTES = (int) (Segment.MAX_BYTES / 4 - 2 * PAGE);

    public static final long MIN_SEGMENT = 1L << 20;

    /** A log's directory and table. */
    public static final int LOG_BYTES = 4 * PAGE;

    /** A segment smaller than this is not begun unless nothing else is left. */
    private static final long MARGIN = 1L << 20;

    private static final long MIN_BLOCK = 64L << 20;

    private static final long MIN_SEGMENT_TO_EVICT = 128L << 10;
    private static final long MAX_DEFAULT_SEGMENT = 256L << 20;
    private static final int SEGMENTS_IN_BUDGET = 64;
    private static final int MAX_ATTEMPTS = 3;
    private static final int FEW_PARTS = 16;

    private final CacheFiles files;
    private final DiskIndex index;
    private final Segments segments;
    private final SharedCounters counters;
    private final Space space;
    private final @Nullable SecondChance turnover;
    private long budget;
    private long segmentBytes;

    /** Of the budget, what may be occupied by files that were given up. */
    private long leaving;

    private final Set<Path> own = ConcurrentHashMap.newKeySet();
    private @Nullable Path directory;
    private @Nullable ChronicleLog log;
    private long blockBytes;
    private @Nullable Segment segment;
    private long reserved;
    private volatile long left;

    /** @param evicts whether what was not used gives way to what comes */
    public LogWriter(
            CacheFiles files,
            DiskIndex index,
            Segments segments,
            SharedCounters counters,
            Space space,
            boolean evicts) {
        this.files = files;
        this.index = index;
        this.segments = segments;
        this.counters = counters;
        this.space = space;
        this.turnover = evicts ? new SecondChance(index, segments, counters) : null;
    }

    /** Before anything is appended: until then there is room for nothing. */
    public void limit(long bytes, long bytesOfSegment) {
        budget = bytes;
        segmentBytes = bytesOfSegment;
        if (turnover != null) {
            leaving = Math.max(bytes / FEW_PARTS, Math.min(segmentBytes, bytes / 4));
            turnover.start();
        }
    }

    public long budget() {
        return budget;
    }

    /** Whether a document could be taken after others that wait, here or in a segment to come. */
    public boolean hasRoomFor(long bytes, long waiting) {
        if (turnover != null) {
            return pages(bytes + ChronicleLog.SEGMENT_OVERHEAD) <= (budget - leaving) / 2;
        }
        long here = left;
        long elsewhere = budget - counters.used() - ChronicleLog.SEGMENT_OVERHEAD - (here == 0 ? LOG_BYTES : 0);
        return bytes <= Math.max(here, elsewhere) && bytes + waiting <= here + Math.max(0, elsewhere);
    }

    /**
     * Whether there will be room for all that waits: it fits here, or so much is left that other processes, which claim
     * it at the same time, do not use it up before.
     */
    public boolean surelyTakes(long waiting) {
        return turnover != null || waiting <= left || FEW_PARTS * (waiting + segmentBytes) <= budget - counters.used();
    }

    /** Whether this process made this directory. */
    boolean owns(Path other) {
        return own.contains(other);
    }

    /**
     * Appends an entry and lets all processes find it.
     * @return false if there is no room for it
     * @throws IOException if the file system has none, or fails
     */
    public boolean append(PendingAppend entry) throws IOException {
        long bytes = LogEntry.mostBytes(entry.value().length());
        if (bytes > left && !begin(bytes)) {
            return false;
        }
        long sequence = counters.nextSequence();
        int kind = entry.tombstone ? LogEntry.TOMBSTONE : LogEntry.VALUE;
        long valueAt = write(kind, entry.key(), sequence, entry.value(), entry.provenance);
        Segment target = Objects.requireNonNull(segment);
        entry.publish(() -> {
            if (entry.tombstone) {
                index.tombstone(target, entry.key(), sequence);
            } else {
                index.value(
                        target, valueAt, entry.key(), sequence, entry.value().length());
            }
        });
        if (entry.tombstone) {
            dropDead();
        }
        return true;
    }

    /** Appends once more what lies elsewhere; false if there is no room for it in the segment that is begun. */
    boolean move(Segment from, long at) throws IOException {
        ByteBuffer file = from.bytes();
        int length = LogEntry.length(file, at);
        if (LogEntry.mostBytes(length) > left) {
            return false;
        }
        SampleKey key = LogEntry.key(file, at);
        long sequence = counters.nextSequence();
        Encoded value = Encoded.of(file.slice((int) at, length));
        long valueAt = write(LogEntry.VALUE, key, sequence, value, LogEntry.provenance(file, at));
        Segment target = Objects.requireNonNull(segment);
        index.moved(key, Location.place(from, at), target, valueAt, sequence, length);
        return true;
    }

    /** Where the value lies. */
    private long write(int kind, SampleKey key, long sequence, Encoded value, Provenance provenance)
            throws IOException {
        Segment target = Objects.requireNonNull(segment);
        long valueAt = Objects.requireNonNull(log).append(kind, key, sequence, value, provenance);
        long end = LogEntry.end(valueAt, value.length());
        target.walked = (int) end;
        left = Math.max(0, reserved - end - 2L * LogEntry.WORD);
        if (target.bytes().limit() < end) {
            target.map();
        }
        return valueAt;
    }

    /** Makes room for an entry in a new segment. */
    private boolean begin(long bytes) throws IOException {
        SecondChance old = turnover;
        if (old == null) {
            return roll(bytes);
        }
        for (int attempt = 1; bytes > left; attempt++) {
            leave();
            long needed = Math.max(pages(bytes + ChronicleLog.SEGMENT_OVERHEAD), segmentBytes);
            while (freeWithout(old) < needed && old.giveUp(null)) {
                // what was used goes too: there is nowhere to write it
            }
            while (budget - counters.used() < needed && old.unmaps().collect()) {
                // until what was given up is back
            }
            if (!roll(bytes)) {
                return false;
            }
            while (attempt < MAX_ATTEMPTS && freeWithout(old) < segmentBytes && old.giveUp(this)) {
                // so that next time there is room before anything has to go
            }
        }
        return true;
    }

    /** What may be used without any file that was given up being gone. */
    private long freeWithout(SecondChance old) {
        long given = old.unmaps().bytes();
        return budget - leaving - LOG_BYTES - (counters.used() - given);
    }

    /**
     * Gives back the files in which this key was the last, of any process; the process that deletes a file counts it.
     */
    private void dropDead() throws IOException {
        for (Segment dead : segments.dead()) {
            segments.drop(dead);
            if (Files.deleteIfExists(dead.file)) {
                counters.giveBack(pages(dead.walked + 2L * LogEntry.WORD));
                counters.countChange();
            }
        }
    }

    private boolean roll(long bytes) throws IOException {
        long needed = pages(bytes + ChronicleLog.SEGMENT_OVERHEAD);
        long free = budget - counters.used() - (directory == null ? LOG_BYTES : 0) + unneeded();
        if (needed > free) {
            return false; // and go on with what is left, for smaller ones
        }
        leave();
        long reserving = Math.max(needed, Math.min(segmentBytes, free / PAGE * PAGE));
        if (log != null && blockBytes < blockFor(bytes)) {
            closeLog();
        }
        if (directory == null && !openLog(bytes)) {
            return false;
        }
        if (!counters.take(reserving, budget)) {
            reserving = needed;
            if (!counters.take(reserving, budget)) {
                return false;
            }
        }
        ChronicleLog open = Objects.requireNonNull(log);
        Path file = open.nextFile();
        try {
            space.reserve(file, reserving);
        } catch (IOException e) {
            counters.giveBack(reserving);
            throw e;
        }
        open.roll();
        Segment next = segments.add(file);
        next.map();
        if (turnover != null) {
            turnover.add(next);
        }
        segment = next;
        reserved = reserving;
        left = reserving - ChronicleLog.SEGMENT_OVERHEAD;
        counters.countChange();
        return true;
    }

    private boolean openLog(long bytes) throws IOException {
        long free = space.free();
        if (free < MARGIN) {
            throw new IOException("only %d bytes are free in %s".formatted(free, files.root));
        }
        if (!counters.take(LOG_BYTES, budget)) {
            return false;
        }
        blockBytes = blockFor(bytes);
        Path made = files.newLog();
        own.add(made);
        directory = made;
        log = new ChronicleLog(made, blockBytes);
        return true;
    }

    private long blockFor(long entryBytes) {
        long least = Math.max(MIN_BLOCK, Math.max(segmentBytes, 4 * entryBytes + PAGE));
        return Long.highestOneBit(least - 1) << 1;
    }

    /** Gives back what the segment did not need. */
    private void leave() throws IOException {
        Segment last = segment;
        if (last != null) {
            long unneeded = unneeded();
            segment = null;
            left = 0;
            space.trim(last.file, pages(last.walked + 2L * LogEntry.WORD), Files.size(last.file));
            counters.giveBack(unneeded);
            last.sealed = true;
        }
    }

    private long unneeded() {
        return segment == null ? 0 : Math.max(0, reserved - pages(segment.walked + 2L * LogEntry.WORD));
    }

    private void closeLog() throws IOException {
        ChronicleLog open = log;
        log = null;
        directory = null;
        if (open != null) {
            open.close();
        }
    }

    /** How many values of an average length are taken at least, whichever processes put them. */
    public static long fits(long budget, int processes, long valueBytes) {
        if (valueBytes > MAX_VALUE_BYTES) {
            return 0;
        }
        long entry = LogEntry.mostBytes((int) valueBytes);
        long segment = Math.max(defaultSegmentBytes(budget, false), pages(entry + ChronicleLog.SEGMENT_OVERHEAD));
        long each = (segment - ChronicleLog.SEGMENT_OVERHEAD) / entry;
        long begun = processes * (LOG_BYTES + segment);
        return Math.max(0, (budget - begun) / segment * each);
    }

    public static long defaultSegmentBytes(long budget, boolean evicts) {
        long share = powerOfTwo(Math.max(1, budget / SEGMENTS_IN_BUDGET));
        return Math.max(evicts ? MIN_SEGMENT_TO_EVICT : MIN_SEGMENT, Math.min(MAX_DEFAULT_SEGMENT, share));
    }

    public static long powerOfTwo(long bytes) {
        return bytes == Long.highestOneBit(bytes) ? bytes : Long.highestOneBit(bytes) << 1;
    }

    static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    @Override
    public void close() throws IOException {
        try {
            leave();
        } finally {
            closeLog();
        }
    }
}
