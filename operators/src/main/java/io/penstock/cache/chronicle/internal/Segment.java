package io.penstock.cache.chronicle.internal;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One file of a log, mapped read-only for all who read it. Views of the mapping keep it alive, so the file may be
 * deleted under them.
 */
public final class Segment {

    /** Positions are ints, and the largest file is this. */
    public static final long MAX_BYTES = 1L << 30;

    public static final long MIN_BYTES = 1L << 20;

    private static final long MIN_BYTES_TO_EVICT = 128L << 10;
    private static final long MAX_DEFAULT_BYTES = 256L << 20;
    private static final int IN_BUDGET = 64;

    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    final Path file;
    public final int number;
    private volatile ByteBuffer bytes = NOTHING;

    /** How far the walk has come; everything before it was seen. Guarded by the one that scans. */
    public int walked;

    /** Nothing will follow what was walked. */
    boolean ended;

    /**
     * Its process went on in another file, and has given back what it did not need of this one; then nothing changes.
     */
    volatile boolean sealed;

    /** Its process may still append to it. */
    boolean growing;

    public final AtomicLong entries = new AtomicLong();
    public final AtomicLong liveEntries = new AtomicLong();

    /** Of them, those that an LRU cache was asked for, give or take a race. */
    final AtomicLong usedEntries = new AtomicLong();

    public final AtomicLong entryBytes = new AtomicLong();
    public final AtomicLong liveBytes = new AtomicLong();
    public final AtomicLong damaged = new AtomicLong();

    /** Of the youngest tombstone and the oldest value in it. */
    long youngestTombstone = -1;

    long oldestValue = Long.MAX_VALUE;

    public Segment(Path file, int number) {
        this.file = file;
        this.number = number;
    }

    /** How many values of an average length are taken at least, whichever processes put them. */
    public static long fits(long budget, int processes, long valueBytes) {
        if (valueBytes > LogWriter.MAX_VALUE_BYTES) {
            return 0;
        }
        long entry = LogEntry.mostBytes((int) valueBytes);
        long segment = Math.max(defaultBytes(budget, false), LogWriter.pages(entry + ChronicleLog.SEGMENT_OVERHEAD));
        long each = (segment - ChronicleLog.SEGMENT_OVERHEAD) / entry;
        long begun = processes * (LogWriter.LOG_BYTES + segment);
        return Math.max(0, (budget - begun) / segment * each);
    }

    public static long defaultBytes(long budget, boolean evicts) {
        long share = powerOfTwo(Math.max(1, budget / IN_BUDGET));
        return Math.max(evicts ? MIN_BYTES_TO_EVICT : MIN_BYTES, Math.min(MAX_DEFAULT_BYTES, share));
    }

    public static long powerOfTwo(long bytes) {
        return bytes == Long.highestOneBit(bytes) ? bytes : Long.highestOneBit(bytes) << 1;
    }

    /** Maps what there is of the file now, if that is more than before. */
    public void map() throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = Math.min(channel.size(), Integer.MAX_VALUE);
            if (size > bytes.limit()) {
                ByteBuffer mapped = channel.map(MapMode.READ_ONLY, 0, size);
                bytes = mapped.order(ByteOrder.LITTLE_ENDIAN);
            }
        }
    }

    boolean isMapped() {
        return bytes.limit() > 0;
    }

    /** Whether there is less of the file now than what is mapped. One that is deleted stays as it is. */
    boolean isShortened() {
        try {
            return Files.size(file) < bytes.limit();
        } catch (IOException e) {
            return false;
        }
    }

    /** The same file as far as it was walked, to be walked once more. */
    Segment again() {
        Segment copy = new Segment(file, number);
        ByteBuffer all = bytes;
        copy.bytes = all.slice(0, Math.min(walked, all.limit())).order(ByteOrder.LITTLE_ENDIAN);
        return copy;
    }

    /** Counts an entry that is found here from now on, or (-1) is not any more. */
    void countLive(int change, int length) {
        liveEntries.addAndGet(change);
        liveBytes.addAndGet(change * LogEntry.bytes(length));
    }

    /** What of the file is needed: the rest of what was claimed for it can be given back. */
    long needed() {
        return LogWriter.pages(walked + 2L * LogEntry.WORD);
    }

    /** The file; little-endian, not to be moved in. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** A word written by another thread or process: what it wrote before is seen too. */
    public static int wordAt(ByteBuffer bytes, int at) {
        return (int) INT.getAcquire(bytes, at);
    }

    /** The file below the cache's directory. */
    public String name() {
        int names = file.getNameCount();
        return file.subpath(Math.max(0, names - 2), names).toString();
    }
}
