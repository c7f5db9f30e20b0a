package io.penstock.cache.chronicle;

import io.penstock.cache.chronicle.internal.Segment;
import io.penstock.internal.Arguments;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Where a disk cache lies and what it may take. A value: each method gives a changed copy, and {@link #open} does the
 * work.
 */
public final class ChronicleOptions {

    private static final double DEFAULT_SHARE = 0.5;
    private static final long DEFAULT_PENDING = 8L << 20;

    final Path directory;
    long maxBytes;
    double maxFreeShare = DEFAULT_SHARE;
    long segmentBytes;
    long pendingBytes = DEFAULT_PENDING;
    boolean verifyEveryRead;
    boolean readOnly;
    boolean evicts;

    ChronicleOptions(Path directory) {
        this.directory = directory;
    }

    /** A copy with one change, after which it does not change any more. */
    private ChronicleOptions with(Consumer<ChronicleOptions> change) {
        ChronicleOptions copy = new ChronicleOptions(directory);
        copy.maxBytes = maxBytes;
        copy.maxFreeShare = maxFreeShare;
        copy.segmentBytes = segmentBytes;
        copy.pendingBytes = pendingBytes;
        copy.verifyEveryRead = verifyEveryRead;
        copy.readOnly = readOnly;
        copy.evicts = evicts;
        change.accept(copy);
        return copy;
    }

    /**
     * The max bytes on the disk, everything included, for all processes on the directory together.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public ChronicleOptions maxBytes(long bytes) {
        Arguments.refuse(bytes < 1, "a disk cache needs at least 1 byte, was %s", bytes);
        return with(copy -> {
            copy.maxBytes = bytes;
            copy.maxFreeShare = 0;
        });
    }

    /**
     * At most this share of what is free on the file system when it is opened, what the cache itself holds there
     * counted as free. Half of it unless something else is said.
     * @throws IllegalArgumentException if the share is not in (0, 1]
     */
    public ChronicleOptions maxFreeShare(double share) {
        Arguments.refuse(!(share > 0 && share <= 1), "the share of free disk space must be in (0, 1], was %s", share);
        return with(copy -> {
            copy.maxBytes = 0;
            copy.maxFreeShare = share;
        });
    }

    /**
     * The length of a file of the log, which is also how room is claimed: between 1 MiB and 1 GiB, rounded up to a
     * power of two. A 64th of the budget, at most 256 MiB, unless something else is said.
     * @throws IllegalArgumentException if it is not in that range
     */
    public ChronicleOptions segmentBytes(long bytes) {
        if (bytes < Segment.MIN_BYTES || bytes > Segment.MAX_BYTES) {
            throw new IllegalArgumentException("segments must be of %d to %d bytes, was %d"
                    .formatted(Segment.MIN_BYTES, Segment.MAX_BYTES, bytes));
        }
        return with(copy -> copy.segmentBytes = Segment.powerOfTwo(bytes));
    }

    /**
     * How many bytes may wait to be appended before puts complete later than at once; 8 MiB unless something else is
     * said, and at most a 32nd of the budget of a cache that evicts.
     * @throws IllegalArgumentException if {@code bytes < 0}
     */
    public ChronicleOptions pendingBytes(long bytes) {
        Arguments.refuse(bytes < 0, "the bytes that may wait must be at least 0, was %s", bytes);
        return with(copy -> copy.pendingBytes = bytes);
    }

    /** Compares the checksum of a value at every read, not only at the first one in this process. */
    public ChronicleOptions verifyEveryRead() {
        return with(copy -> copy.verifyEveryRead = true);
    }

    /**
     * Evicts what was not read for longest, instead of refusing what comes; to one bit a value, so that what is held
     * was either asked for or written lately. What is held is less than the budget by about a tenth, which is on its
     * way in or out. The order in which values were written is what a restart leaves of it. Such a cache is not shared:
     * while it is open no other process can open the directory, but to look.
     */
    public ChronicleOptions leastRecentlyUsed() {
        return with(copy -> copy.evicts = true);
    }

    /** Looks only: takes no locks, keeps nothing, and follows what other processes append. */
    public ChronicleOptions readOnly() {
        return with(copy -> copy.readOnly = true);
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
        return segmentBytes != 0 ? segmentBytes : Segment.defaultBytes(budget, evicts);
    }

    @Override
    public String toString() {
        return "disk cache in " + directory;
    }
}
