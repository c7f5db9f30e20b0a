package io.penstock.cache.chronicle.internal;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Appends to this process's own log, in segments whose room is claimed from the budget when something is accepted, and
 * from the file system before anything is written to them. What a segment did not need is given back when it is left.
 * Confined to one thread, but for {@link #claim}, {@link #hasRoomFor} and {@link #stop}.
 */
public final class LogWriter implements AutoCloseable {

    public static final int PAGE = 4096;

    /** Of the largest value that is taken. */
    public static final int MAX_VALUE_BYTES = (int) (Segment.MAX_BYTES / 4 - 2 * PAGE);

    /** A log's directory and table. */
    public static final int LOG_BYTES = 4 * PAGE;

    /** A segment smaller than this is not begun unless nothing else is left. */
    private static final long MARGIN = 1L << 20;

    private static final int MAX_ATTEMPTS = 3;
    private static final int FEW_PARTS = 16;

    private final CacheFiles files;
    private final DiskIndex index;
    private final Segments segments;
    private final SharedCounters counters;
    private final Space space;
    private final @Nullable SecondChance turnover;
    private final Claims claims;
    private long budget;
    private long segmentBytes;

    /** Of the budget, what may be occupied by files that were given up. */
    private long leaving;

    private final Set<Path> own = ConcurrentHashMap.newKeySet();
    private @Nullable ChronicleLog log;
    private long blockBytes;
    private @Nullable Segment segment;
    private Claims.@Nullable Claim claim;

    /** What the log has not written yet. */
    private final List<Staged> staged = new ArrayList<>();

    /** Where the next entry of the segment begins; 0 before the first one. */
    private long end;

    private record Staged(PendingAppend entry, long sequence, long valueAt) {}

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
        this.claims = new Claims(counters);
        this.turnover = evicts ? new SecondChance(index, segments, counters) : null;
    }

    /** Before anything is appended: until then there is room for nothing. */
    public void limit(long bytes, long bytesOfSegment) {
        budget = bytes;
        segmentBytes = bytesOfSegment;
        claims.limit(bytes, bytesOfSegment);
        if (turnover != null) {
            leaving = Math.max(bytes / FEW_PARTS, Math.min(segmentBytes, bytes / 4));
            turnover.start();
        }
    }

    public long budget() {
        return budget;
    }

    /** Whether an entry of this number of bytes could be accepted now. */
    public boolean hasRoomFor(long bytes) {
        return turnover == null
                ? claims.hasRoomFor(bytes)
                : pages(bytes + ChronicleLog.SEGMENT_OVERHEAD) <= (budget - leaving) / 2;
    }

    /**
     * Claims room for an entry, which no other process can take. Entries are to be appended in the order of this. An
     * evicting log makes its room later.
     * @return false if there is none
     */
    public boolean claim(PendingAppend entry) {
        if (turnover == null) {
            entry.claim = claims.claim(entry.bytes());
        }
        return turnover != null || entry.claim != null;
    }

    /** Gives back the room of an entry that is not appended after all. */
    public void release(PendingAppend entry) {
        Claims.Claim unused = entry.claim;
        if (unused != null) {
            claims.release(unused, entry.bytes());
        }
    }

    /** Gives back the room for which no segment was begun, and accepts nothing more. */
    public void stop() {
        claims.close();
    }

    /** Whether this process made this directory. */
    boolean owns(Path other) {
        return own.contains(other);
    }

    /**
     * Appends an entry, unless its key has been published since it was put. What it is in the end is known, and all
     * processes find it, after {@link #flush}.
     * @param publisher runs what lets this process find an entry
     * @return false if there is no room for it
     * @throws IOException if the file system has none, or fails
     */
    public boolean append(PendingAppend entry, BiConsumer<PendingAppend, Runnable> publisher) throws IOException {
        if (!entry.tombstone && index.contains(entry.key())) {
            release(entry);
            entry.appended = true;
            return true;
        }
        SecondChance old = turnover;
        if (old == null ? entry.claim != claim : !claims.hasLeft(claim, entry.bytes())) {
            flush(publisher); // the segment may end here
        }
        Claims.Claim room = old == null ? entry.claim : makeRoom(old, entry.bytes());
        if (room == null) {
            return false;
        }
        if (room != claim) {
            leave();
            begin(room);
        }
        if (!Objects.requireNonNull(log).fits(entry.value().length())) {
            flush(publisher); // here, where it is known which entries are lost if that fails
        }
        long sequence = counters.nextSequence();
        int kind = entry.tombstone ? LogEntry.TOMBSTONE : LogEntry.VALUE;
        staged.add(new Staged(entry, sequence, write(kind, entry.key(), sequence, entry.value(), entry.provenance)));
        if (entry.tombstone) {
            flush(publisher);
            dropDead();
        }
        return true;
    }

    /** Lets all processes find what was appended. */
    public void flush(BiConsumer<PendingAppend, Runnable> publisher) throws IOException {
        List<Staged> written = List.copyOf(staged);
        try {
            flushLog();
        } catch (RuntimeException | Error e) {
            staged.clear(); // or the next call would let others find what is not in the file
            throw e;
        }
        staged.clear();
        Segment target = segment;
        for (Staged one : written) {
            PendingAppend entry = one.entry;
            entry.publish(() -> publisher.accept(entry, () -> publish(Objects.requireNonNull(target), one)));
            entry.appended = true;
        }
    }

    private void publish(Segment target, Staged written) {
        PendingAppend entry = written.entry;
        if (entry.tombstone) {
            index.tombstone(target, entry.key(), written.sequence);
        } else {
            index.value(
                    target,
                    written.valueAt,
                    entry.key(),
                    written.sequence,
                    entry.value().length());
        }
    }

    private void flushLog() throws IOException {
        Segment target = segment;
        if (target != null && end > target.walked) {
            Objects.requireNonNull(log).flush();
            target.walked = (int) end;
            if (target.bytes().limit() < end) {
                target.map();
            }
        }
    }

    /** Appends once more what lies elsewhere; false if there is no room for it in the segment that is begun. */
    boolean move(Segment from, long at) throws IOException {
        ByteBuffer file = from.bytes();
        int length = LogEntry.length(file, at);
        if (!claims.hasLeft(claim, LogEntry.mostBytes(length)) || claims.claim(LogEntry.mostBytes(length)) == null) {
            return false;
        }
        SampleKey key = LogEntry.key(file, at);
        long sequence = counters.nextSequence();
        Encoded value = Encoded.of(file.slice((int) at, length));
        long valueAt = write(LogEntry.VALUE, key, sequence, value, LogEntry.provenance(file, at));
        flushLog();
        Segment target = Objects.requireNonNull(segment);
        index.moved(key, Location.place(from, at), target, valueAt, sequence, length);
        return true;
    }

    /** Where the value lies. */
    private long write(int kind, SampleKey key, long sequence, Encoded value, Provenance provenance)
            throws IOException {
        long from = end;
        long valueAt = Objects.requireNonNull(log).append(kind, key, sequence, value, provenance);
        end = LogEntry.end(valueAt, value.length());
        if (from > 0) { // what lies before the first entry is not its own
            claims.release(Objects.requireNonNull(claim), LogEntry.mostBytes(value.length()) - (end - from));
        }
        return valueAt;
    }

    /** Makes room for an entry, in a new segment if need be. */
    private Claims.@Nullable Claim makeRoom(SecondChance old, long bytes) throws IOException {
        for (int attempt = 1; !claims.hasLeft(claim, bytes); attempt++) {
            leave();
            long needed = Math.max(pages(bytes + ChronicleLog.SEGMENT_OVERHEAD), segmentBytes);
            while (freeWithout(old) < needed && old.giveUp(null)) {
                // what was used goes too: there is nowhere to write it
            }
            long given = old.unmaps().bytes();
            long missing = needed - (budget - counters.used());
            if (missing > 0) {
                old.unmaps().collect(Math.max(0, given - missing));
            }
            Claims.Claim next = claims.claimSegment(bytes);
            if (next == null) {
                return null;
            }
            begin(next);
            while (attempt < MAX_ATTEMPTS && freeWithout(old) < segmentBytes && old.giveUp(this)) {
                // so that next time there is room before anything has to go
            }
        }
        return claims.claim(bytes);
    }

    /** What may be used without any file that was given up being gone. */
    private long freeWithout(SecondChance old) {
        long given = old.unmaps().bytes();
        return budget - leaving - LOG_BYTES - (counters.used() - given);
    }

    /** Gives back the files in which this key was the last, of any process; the one that deletes a file counts it. */
    private void dropDead() {
        List<Segment> dead = segments.dead();
        dead.forEach(segments::drop);
        delete(dead);
    }

    /** Gives back the files that were cut shorter and lost. */
    public void dropCut() {
        delete(segments.cut());
    }

    private void delete(List<Segment> finished) {
        for (Segment one : finished) {
            if (one.file.toFile().delete()) {
                counters.giveBack(one.needed());
                counters.countChange();
            }
        }
    }

    /**
     * Forgets what could not be flushed, and leaves the file that is being written to if it was cut shorter. What is to
     * follow there goes to another file, in the room of this one.
     * @return what could not be flushed, to be appended again; {@code null} if the file was not cut
     */
    public @Nullable List<PendingAppend> leaveCut() {
        List<PendingAppend> unwritten =
                new ArrayList<>(staged.stream().map(Staged::entry).toList());
        staged.clear();
        Segment cut = segment;
        Claims.Claim room = claim;
        if (cut == null
                || room == null
                || !cut.isShortened()
                || !cut.file.toFile().delete()) {
            return null;
        }
        segment = null;
        claim = null;
        if (turnover == null) {
            claims.again(room, end, unwritten);
        } else {
            claims.end(room, 0);
        }
        counters.countChange();
        cut.sealed = true;
        return unwritten;
    }

    private void begin(Claims.Claim next) throws IOException {
        long reserving = claims.begin(next);
        Path file;
        try {
            if (log != null && blockBytes < next.blockBytes) {
                closeLog();
            }
            if (log == null) {
                openLog(next.blockBytes);
            }
            file = Objects.requireNonNull(log).nextFile();
            space.reserve(file, reserving);
        } catch (IOException e) {
            claims.end(next, 0);
            throw e;
        }
        Objects.requireNonNull(log).roll();
        Segment begun = segments.add(file);
        begun.map();
        if (turnover != null) {
            turnover.add(begun);
        }
        segment = begun;
        claim = next;
        end = 0;
        counters.countChange();
    }

    private void openLog(long bytes) throws IOException {
        long free = space.free();
        if (free < MARGIN) {
            throw new IOException("only %d bytes are free in %s".formatted(free, files.root));
        }
        blockBytes = bytes;
        Path made = files.newLog();
        own.add(made);
        log = new ChronicleLog(made, blockBytes);
    }

    /** Gives back what the segment did not need. */
    private void leave() throws IOException {
        Segment last = segment;
        Claims.Claim room = claim;
        if (last != null && room != null) {
            segment = null;
            claim = null;
            long needed = last.needed();
            space.trim(last.file, needed, Files.size(last.file));
            claims.end(room, needed);
            last.sealed = true;
        }
    }

    private void closeLog() throws IOException {
        ChronicleLog open = log;
        log = null;
        if (open != null) {
            open.close();
        }
    }

    static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    @Override
    public void close() throws IOException {
        claims.close();
        try {
            leave();
        } finally {
            closeLog();
        }
    }
}
