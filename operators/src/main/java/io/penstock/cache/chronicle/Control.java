package io.penstock.cache.chronicle;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What all processes on one directory count together, in a small mapped file. Nobody else being there, all of it is derived
 * anew from the logs, so what it holds need not survive anything.
 */
final class Control {

    static final int BYTES = 4096;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int USED = 0;
    private static final int APPENDED = 64;
    private static final int SEQUENCE = 128;
    private static final int SEGMENTS = 192;
    private static final int BUDGET = 256;

    private final ByteBuffer shared;

    private Control(ByteBuffer shared) {
        this.shared = shared;
    }

    static Control map(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() < BYTES) {
                // written rather than extended, so that a full disk says so here and not by a signal later
                channel.write(ByteBuffer.allocate((int) (BYTES - channel.size())), channel.size());
            }
            return new Control(channel.map(MapMode.READ_WRITE, 0, BYTES));
        }
    }

    /** Another process's counters to look at; of a directory without any, zeros that never change. */
    static Control view(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new Control(
                    channel.size() < BYTES
                            ? ByteBuffer.allocateDirect(BYTES)
                            : channel.map(MapMode.READ_ONLY, 0, BYTES));
        } catch (java.nio.file.NoSuchFileException e) {
            return new Control(ByteBuffer.allocateDirect(BYTES));
        }
    }

    /** Starts from what was found, when nobody else is there. */
    void reset(long used, long nextSequence) {
        LONG.setVolatile(shared, USED, used);
        LONG.setVolatile(shared, SEQUENCE, nextSequence);
    }

    /** What the last to open the directory may take, for people. */
    long budget() {
        return (long) LONG.getVolatile(shared, BUDGET);
    }

    void noteBudget(long bytes) {
        LONG.setVolatile(shared, BUDGET, bytes);
    }

    long used() {
        return (long) LONG.getVolatile(shared, USED);
    }

    boolean take(long bytes, long total) {
        for (; ; ) {
            long now = used();
            if (bytes > total - now) {
                return false;
            }
            if (LONG.compareAndSet(shared, USED, now, now + bytes)) {
                return true;
            }
        }
    }

    void giveBack(long bytes) {
        long before = (long) LONG.getAndAdd(shared, USED, -bytes);
        assert before >= bytes : before;
    }

    /** Entries of all processes so far; changes after an entry can be read. */
    long appended() {
        return (long) LONG.getVolatile(shared, APPENDED);
    }

    /** How many there were before this one. */
    long countAppended() {
        return (long) LONG.getAndAdd(shared, APPENDED, 1L);
    }

    long nextSequence() {
        return (long) LONG.getAndAdd(shared, SEQUENCE, 1L);
    }

    /** Files that came or went so far, as far as those who follow must know. */
    long changes() {
        return (long) LONG.getVolatile(shared, SEGMENTS);
    }

    void countChange() {
        LONG.getAndAdd(shared, SEGMENTS, 1L);
    }
}
