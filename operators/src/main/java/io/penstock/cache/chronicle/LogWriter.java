package io.penstock.cache.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Appends to this process's own log, in segments whose room is claimed, first from the budget, then from the file system,
 * before anything is written to them. What a segment did not need is given back when it is left. Confined to one thread.
 */
final class LogWriter implements AutoCloseable {

    static final int PAGE = 4096;

    /** A log's directory and table. */
    static final int LOG_BYTES = 4 * PAGE;

    /** A segment smaller than this is not begun unless nothing else is left. */
    private static final long MARGIN = 1L << 20;

    private static final long LEAST_BLOCK = 64L << 20;

    private final CacheFiles files;
    private final Catalogue catalogue;
    private final Control control;
    private final Space space;
    private long budget;
    private long segmentBytes;

    private final Set<Path> own = ConcurrentHashMap.newKeySet();
    private @Nullable Path directory;
    private @Nullable ChronicleLog log;
    private long blockBytes;
    private @Nullable Segment segment;
    private long reserved;
    private volatile long left;

    LogWriter(CacheFiles files, Catalogue catalogue, Control control, Space space) {
        this.files = files;
        this.catalogue = catalogue;
        this.control = control;
        this.space = space;
    }

    /** Before anything is appended: until then there is room for nothing. */
    void limit(long bytes, ChronicleOptions options) {
        budget = bytes;
        segmentBytes = options.segmentBytesFor(bytes);
    }

    long budget() {
        return budget;
    }

    /** Whether a document could be taken behind others that wait, here or in a segment to come. */
    boolean hasRoomFor(long bytes, long waiting) {
        long here = left;
        long elsewhere = budget - control.used() - ChronicleLog.SEGMENT_OVERHEAD - (here == 0 ? LOG_BYTES : 0);
        return bytes <= Math.max(here, elsewhere) && bytes + waiting <= here + Math.max(0, elsewhere);
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
    boolean append(Pending entry) throws IOException {
        long bytes = Entry.mostBytes(entry.value.remaining());
        if (bytes > left && !roll(bytes)) {
            return false;
        }
        Segment target = Objects.requireNonNull(segment);
        long sequence = control.nextSequence();
        int kind = entry.tombstone ? Entry.TOMBSTONE : Entry.VALUE;
        long valueAt = Objects.requireNonNull(log).append(kind, entry.key, sequence, entry.value, entry.origin);
        long end = Entry.end(valueAt, entry.value.remaining());
        target.walked = (int) end;
        left = Math.max(0, reserved - end - 2L * Entry.WORD);
        if (target.bytes().limit() < end) {
            target.map();
        }
        entry.publish(() -> {
            if (entry.tombstone) {
                catalogue.tombstone(target, entry.key, sequence);
            } else {
                catalogue.value(target, valueAt, entry.key, sequence, entry.value.remaining());
            }
        });
        if (entry.tombstone) {
            dropDead();
        }
        return true;
    }

    /** Gives back the files in which this key was the last; whoever's they were, the one who deletes a file counts it. */
    private void dropDead() throws IOException {
        for (Segment dead : catalogue.dead()) {
            catalogue.drop(dead);
            if (Files.deleteIfExists(dead.file)) {
                control.giveBack(pages(dead.walked + 2L * Entry.WORD));
                control.countChange();
            }
        }
    }

    private boolean roll(long bytes) throws IOException {
        long needed = pages(bytes + ChronicleLog.SEGMENT_OVERHEAD);
        long free = budget - control.used() - (directory == null ? LOG_BYTES : 0) + unneeded();
        if (needed > free) {
            return false; // and go on with what is left, for smaller ones
        }
        leave();
        long wanted = Math.max(needed, Math.min(segmentBytes, free / PAGE * PAGE));
        if (log != null && blockBytes < blockFor(bytes)) {
            closeLog();
        }
        if (directory == null && !openLog(bytes)) {
            return false;
        }
        if (!control.take(wanted, budget)) {
            wanted = needed;
            if (!control.take(wanted, budget)) {
                return false;
            }
        }
        ChronicleLog open = Objects.requireNonNull(log);
        Path file = open.nextFile();
        try {
            space.reserve(file, wanted);
        } catch (IOException e) {
            control.giveBack(wanted);
            throw e;
        }
        open.roll();
        Segment next = catalogue.add(file);
        next.map();
        segment = next;
        reserved = wanted;
        left = wanted - ChronicleLog.SEGMENT_OVERHEAD;
        control.countChange();
        return true;
    }

    private boolean openLog(long bytes) throws IOException {
        long free = space.free();
        if (free < MARGIN) {
            throw new IOException("only %d bytes are free in %s".formatted(free, files.root));
        }
        if (!control.take(LOG_BYTES, budget)) {
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
        long least = Math.max(LEAST_BLOCK, Math.max(segmentBytes, 4 * entryBytes + PAGE));
        return Long.highestOneBit(least - 1) << 1;
    }

    /** Gives back what the segment did not need. */
    private void leave() throws IOException {
        Segment last = segment;
        if (last != null) {
            long unneeded = unneeded();
            segment = null;
            left = 0;
            space.trim(last.file, pages(last.walked + 2L * Entry.WORD), Files.size(last.file));
            control.giveBack(unneeded);
            last.sealed = true;
        }
    }

    private long unneeded() {
        return segment == null ? 0 : Math.max(0, reserved - pages(segment.walked + 2L * Entry.WORD));
    }

    private void closeLog() throws IOException {
        ChronicleLog open = log;
        log = null;
        directory = null;
        if (open != null) {
            open.close();
        }
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
