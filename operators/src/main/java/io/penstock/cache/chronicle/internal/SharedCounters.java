package io.penstock.cache.chronicle.internal;

import io.penstock.internal.AccessFaults;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/**
 * Counters that all processes on one directory share, in a small mapped file. A process that is alone there derives
 * them again from the logs, so they need not survive a crash. If the file is cut shorter while it is open, each process
 * goes on with counters of its own, by which there is no room left.
 */
public final class SharedCounters {

    static final int BYTES = 4096;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int USED = 0;
    private static final int APPENDED = 64;
    private static final int SEQUENCE = 128;
    private static final int SEGMENTS = 192;
    private static final int BUDGET = 256;
    private static final int OPENED = 320;

    private static final long NO_ROOM = Long.MAX_VALUE / 2;

    private final Path file;
    private final AccessFaults faults = new AccessFaults();
    private volatile ByteBuffer shared;
    private volatile boolean left;

    /** How many entries of all processes are known here. */
    private final AtomicLong seen = new AtomicLong();

    private SharedCounters(Path file, ByteBuffer shared) {
        this.file = file;
        this.shared = shared;
    }

    public static SharedCounters map(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() < BYTES) {
                // written rather than extended, so that a full disk says so here and not by a signal later
                channel.write(ByteBuffer.allocate((int) (BYTES - channel.size())), channel.size());
            }
            return new SharedCounters(file, channel.map(MapMode.READ_WRITE, 0, BYTES));
        }
    }

    /** The counters of other processes, read-only; where there are none, zeros that never change. */
    public static SharedCounters view(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return new SharedCounters(file, ByteBuffer.allocateDirect(BYTES));
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new SharedCounters(
                    file,
                    channel.size() < BYTES
                            ? ByteBuffer.allocateDirect(BYTES)
                            : channel.map(MapMode.READ_ONLY, 0, BYTES));
        } catch (NoSuchFileException e) {
            return new SharedCounters(file, ByteBuffer.allocateDirect(BYTES));
        }
    }

    private long on(ToLongFunction<ByteBuffer> access) {
        try {
            long number = access.applyAsLong(shared);
            faults.raise();
            return number;
        } catch (InternalError e) {
            leave();
            return access.applyAsLong(shared);
        }
    }

    private long read(int at) { // several times a sample, so these two make no object
        try {
            long number = (long) LONG.getVolatile(shared, at);
            faults.raise();
            return number;
        } catch (InternalError e) {
            leave();
            return (long) LONG.getVolatile(shared, at);
        }
    }

    private long add(int at, long change) {
        try {
            long before = (long) LONG.getAndAdd(shared, at, change);
            faults.raise();
            return before;
        } catch (InternalError e) {
            leave();
            return (long) LONG.getAndAdd(shared, at, change);
        }
    }

    private void leave() {
        ByteBuffer own = ByteBuffer.allocateDirect(BYTES);
        LONG.setVolatile(own, USED, NO_ROOM);
        shared = own;
        left = true;
    }

    void leaveIfShortened() {
        try {
            if (!left && shared instanceof MappedByteBuffer && Files.size(file) < BYTES) {
                leave();
            }
        } catch (IOException e) {
            // it was deleted, and stays as it is under the mapping
        }
    }

    /** Sets the counters to what was found in the logs. Only while no other process is there. */
    public void reset(long used, long nextSequence) {
        on(numbers -> {
            LONG.setVolatile(numbers, USED, used);
            LONG.setVolatile(numbers, SEQUENCE, nextSequence);
            return 0;
        });
    }

    /** How often processes have opened the directory. */
    public long opened() {
        return read(OPENED);
    }

    public void countOpened() {
        add(OPENED, 1);
    }

    /** The budget of the process that opened the directory last, for reports. */
    public long budget() {
        return read(BUDGET);
    }

    public void noteBudget(long bytes) {
        on(numbers -> {
            LONG.setVolatile(numbers, BUDGET, bytes);
            return 0;
        });
    }

    public long used() {
        return read(USED);
    }

    boolean take(long bytes, long total) {
        return on(numbers -> {
                    for (; ; ) {
                        long now = (long) LONG.getVolatile(numbers, USED);
                        if (bytes > total - now) {
                            return 0;
                        }
                        if (faults.compareAndSet(numbers, USED, now, now + bytes)) {
                            return 1;
                        }
                    }
                })
                == 1;
    }

    void giveBack(long bytes) {
        long before = add(USED, -bytes);
        assert before >= bytes : before;
    }

    /** Entries of all processes so far; changes after an entry can be read. */
    long appended() {
        return read(APPENDED);
    }

    /** Counts entries of this process, which it knows if it knows all before them. */
    public void countAppended(int entries) {
        long before = add(APPENDED, entries);
        seen.compareAndSet(before, before + entries);
    }

    /** This many entries of all processes are known here. */
    void see(long entries) {
        seen.accumulateAndGet(entries, Math::max); // this process may have moved it past this
    }

    boolean isBehind() {
        return appended() != seen.get();
    }

    /** @throws IOException if the file has been cut shorter: a number given now might be that of an older entry */
    long nextSequence() throws IOException {
        long next = add(SEQUENCE, 1);
        if (left) {
            throw new IOException("%s was cut shorter while it was open".formatted(file));
        }
        return next;
    }

    /** How many files have come or gone, of those that other processes must follow. */
    long changes() {
        return read(SEGMENTS);
    }

    void countChange() {
        add(SEGMENTS, 1);
    }
}
