package io.penstock.cache.chronicle;

import io.penstock.cache.chronicle.internal.LogWriter;
import io.penstock.cache.chronicle.internal.Segment;
import java.nio.file.Path;

/**
 * Where a disk cache lies and what it may take. A value: each method gives a changed copy, and {@link #open} does the
 * work.
 */
public final class ChronicleOptions {

    private static final double DEFAULT_SHARE = 0.5;
    private static final long DEFAULT_PENDING = 64L << 20;

    final Path directory;
    final long maxBytes;
    final double maxFreeShare;
    final long segmentBytes;
    final long pendingBytes;
    final boolean verifyEveryRead;
    final boolean readOnly;
    final boolean evicts;

    ChronicleOptions(Path directory) {
        this(directory, 0, DEFAULT_SHARE, 0, DEFAULT_PENDING, false, false, false);
    }

    private ChronicleOptions(
            Path directory,
            long maxBytes,
            double maxFreeShare,
            long segmentBytes,
            long pendingBytes,
            boolean verifyEveryRead,
            boolean readOnly,
            boolean evicts) {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.maxFreeShare = maxFreeShare;
        this.segmentBytes = segmentBytes;
        this.pendingBytes = pendingBytes;
        this.verifyEveryRead = verifyEveryRead;
        this.readOnly = readOnly;
        this.evicts = evicts;
    }

    /**
     * The max bytes on the disk, everything included, for all processes on the directory together.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public ChronicleOptions maxBytes(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a disk cache needs at least 1 byte, was " + bytes);
        }
        return new ChronicleOptions(directory, bytes, 0, segmentBytes, pendingBytes, verifyEveryRead, readOnly, evicts);
    }

    /**
     * At most this share of what is free on the file system when it is opened, what the cache itself holds there
     * counted as free. Half of it unless something else is said.
     * @throws IllegalArgumentException if the share is not in (0, 1]
     */
    public ChronicleOptions maxFreeShare(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("the share of free disk space must be in (0, 1], was " + share);
        }
        return new ChronicleOptions(directory, 0, share, segmentBytes, pendingBytes, verifyEveryRead, readOnly, evicts);
    }

    /**
     * The length of a file of the log, which is also how room is claimed: between 1 MiB and 1 GiB, rounded up to a
     * power of two. A 64th of the budget, at most 256 MiB, unless something else is said.
     * @throws IllegalArgumentException if it is not in that range
     */
    public ChronicleOptions segmentBytes(long bytes) {
        if (bytes < LogWriter.MIN_SEGMENT || bytes > Segment.MAX_BYTES) {
            throw new IllegalArgumentException("segments must be of %d to %d bytes, was %d"
                    .formatted(LogWriter.MIN_SEGMENT, Segment.MAX_BYTES, bytes));
        }
        return new ChronicleOptions(
                directory,
                maxBytes,
                maxFreeShare,
                LogWriter.powerOfTwo(bytes),
                pendingBytes,
                verifyEveryRead,
                readOnly,
                evicts);
    }

    /**
     * How many bytes may wait to be appended before puts complete later than at once; 64 MiB unless something else is
     * said.
     * @throws IllegalArgumentException if {@code bytes < 0}
     */
    public ChronicleOptions pendingBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("the bytes that may wait must be at least 0, was " + bytes);
        }
        return new ChronicleOptions(
                directory, maxBytes, maxFreeShare, segmentBytes, bytes, verifyEveryRead, readOnly, evicts);
    }

    /** Compares the checksum of a value at every read, not only at the first one in this process. */
    public ChronicleOptions verifyEveryRead() {
        return new ChronicleOptions(
                directory, maxBytes, maxFreeShare, segmentBytes, pendingBytes, true, readOnly, evicts);
    }

    /**
     * Evicts what was not read for longest, instead of refusing what comes; to one bit a value, so that what is held
     * was either asked for or written lately. What is held is less than the budget by about a tenth, which is on its
     * way in or out. The order in which values were written is what a restart leaves of it. Such a cache is not shared:
     * while it is open no other process can open the directory, but to look.
     */
    public ChronicleOptions leastRecentlyUsed() {
        return new ChronicleOptions(
                directory, maxBytes, maxFreeShare, segmentBytes, pendingBytes, verifyEveryRead, readOnly, true);
    }

    /** Looks only: takes no locks, keeps nothing, and follows what other processes append. */
    public ChronicleOptions readOnly() {
        return new ChronicleOptions(
                directory, maxBytes, maxFreeShare, segmentBytes, pendingBytes, verifyEveryRead, true, evicts);
    }

    /**
     * Opens the cache, making the directory if need be, and reads the headers of what is in it.
     * @throws io.penstock.fault.StoreException if the directory cannot be used, is open in this process already, or
     *     was written by another version
     * @throws IllegalStateException if Chronicle Queue is not on the class path, or the JVM lacks a flag that it needs;
     *     the message names it
     */
    public ChronicleTier open() {
        return new Opener(this, null).open();
    }

    /**
     * Deletes the cache that is there, and no file that is not its own.
     * @throws io.penstock.fault.StoreException if a process has it open, or the files cannot be deleted
     */
    public void clear() {
        new Opener(this, null).clear();
    }

    long segmentBytesFor(long budget) {
        return segmentBytes != 0 ? segmentBytes : LogWriter.defaultSegmentBytes(budget, evicts);
    }

    @Override
    public String toString() {
        return "disk cache in " + directory;
    }
}
