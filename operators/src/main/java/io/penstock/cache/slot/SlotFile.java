package io.penstock.cache.slot;

import io.penstock.cache.SampleKey;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The file of the slots: made once, all of its space taken from the file system before anyone maps it, since a mapped
 * write into a full one ends the process.
 *
 * <pre>
 *  header | generation, changes | members | state and key of each slot | page border | the samples
 * </pre>
 */
final class SlotFile implements AutoCloseable {

    static final int PAGE = 4096;
    static final int SLOTS = PAGE + Members.MAX * Members.BYTES;
    static final int SLOT_BYTES = 3 * Long.BYTES;

    private static final int GENERATION = 1024; // each on a cache line of its own
    private static final int CHANGES = 1152;
    private static final int ZEROS = 1 << 20;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    // A JVM may open the file several times, so no channel is closed while another one holds the lock: see NodeLock.
    private static final ReentrantLock ONE_AT_A_TIME = new ReentrantLock();

    private final Path path;
    private final FileChannel channel;
    private final SlotHeader header;
    private final ByteBuffer head;
    private final Members members;

    private SlotFile(Path path, FileChannel channel, SlotHeader header) throws IOException {
        this.path = path;
        this.channel = channel;
        this.header = header;
        this.head = channel.map(FileChannel.MapMode.READ_WRITE, 0, SLOTS).order(ByteOrder.LITTLE_ENDIAN);
        this.members = new Members(head.slice(PAGE, Members.MAX * Members.BYTES).order(ByteOrder.LITTLE_ENDIAN));
    }

    /** Opens a file, or makes one of at most the given number of bytes. */
    static SlotFile open(Path path, SlotLayout layout, ToLongFunction<SharedMemory> limit) {
        requireFile(path);
        ONE_AT_A_TIME.lock();
        boolean existed = Files.exists(path);
        boolean opened = false;
        FileChannel channel = null;
        try {
            channel = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = channel.lock();
            SlotFile file = new SlotFile(path, channel, header(path, channel, layout, limit));
            lock.release();
            opened = true;
            return file;
        } catch (IOException e) {
            throw new StoreException("cannot open slots at %s: %s".formatted(path, FileErrors.reason(e)), e);
        } finally {
            if (!opened) {
                abandon(channel, existed ? null : path);
            }
            ONE_AT_A_TIME.unlock();
        }
    }

    private static void requireFile(Path path) {
        boolean there = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
        if (there && !Files.isRegularFile(path) || path.toString().isEmpty()) {
            throw new StoreException("cannot open slots at \"%s\": it is no file; choose another name".formatted(path));
        }
    }

    private static void abandon(@Nullable FileChannel channel, @Nullable Path made) {
        try {
            if (channel != null) {
                channel.close();
            }
            if (made != null) {
                Files.deleteIfExists(made);
            }
        } catch (IOException e) {
            // what went wrong before is being said
        }
    }

    private static SlotHeader header(
            Path path, FileChannel channel, SlotLayout layout, ToLongFunction<SharedMemory> limit) throws IOException {
        byte[] start = new byte[(int) Math.min(SlotHeader.BYTES, channel.size())];
        ByteBuffer into = ByteBuffer.wrap(start);
        int read;
        do {
            read = channel.read(into, into.position());
        } while (into.hasRemaining() && read >= 0);
        boolean made = start.length > 0 && !SlotHeader.isUnfinished(start);
        SlotHeader found = made ? SlotHeader.decode(start, channel.size(), path) : null;
        if (found != null && !found.layout().equals(layout)) {
            throw new IllegalArgumentException(
                    "cannot open slots at %s: they are for %s, must be for %s; delete the file or choose another name"
                            .formatted(path, found.layout(), layout));
        }
        if (found != null && found.boot() == ProcessId.bootNow()) {
            return found;
        }
        channel.truncate(0);
        return make(path, channel, layout, limit);
    }

    private static SlotHeader make(
            Path path, FileChannel channel, SlotLayout layout, ToLongFunction<SharedMemory> limit) throws IOException {
        SharedMemory there = SharedMemory.at(path);
        long max = limit.applyAsLong(there);
        long held = Math.min(layout.samples(), (max - SLOTS - (PAGE - 1)) / (SLOT_BYTES + (long) layout.sampleBytes()));
        if (held < 1) {
            throw new IllegalArgumentException(
                    "slots of %d bytes at %s cannot hold one sample of %d bytes; give them at least %d or leave them out"
                            .formatted(
                                    max,
                                    path,
                                    layout.sampleBytes(),
                                    SLOTS + PAGE - 1 + SLOT_BYTES + layout.sampleBytes()));
        }
        SlotHeader header = new SlotHeader(layout, held, ProcessId.bootNow());
        if (header.fileLength() > there.spare()) {
            throw new StoreException(
                    ("cannot reserve %d bytes for slots at %s: %d of %d bytes are free there, of which a margin stays"
                                    + " free; give them %d bytes at most%s")
                            .formatted(
                                    header.fileLength(),
                                    path,
                                    there.free(),
                                    there.total(),
                                    there.spare(),
                                    there.memory()
                                            ? ", or enlarge the memory file system (in a container --shm-size)"
                                            : ""));
        }
        try {
            reserve(channel, header.fileLength());
        } catch (IOException e) {
            channel.truncate(0);
            throw new StoreException(
                    "cannot reserve %d bytes for slots at %s; give them less".formatted(header.fileLength(), path), e);
        }
        writeAll(channel, header.encode(), 0);
        return header;
    }

    /** Writes zeros: the JDK has no call that takes space without writing, and a hole takes none. */
    private static void reserve(FileChannel channel, long length) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS).order(ByteOrder.LITTLE_ENDIAN);
        for (long at = 0; at < length; at += ZEROS) {
            zeros.putLong(0, at == 0 ? SlotHeader.UNFINISHED : 0);
            zeros.clear().limit((int) Math.min(ZEROS, length - at));
            writeAll(channel, zeros, at);
        }
    }

    private static void writeAll(FileChannel channel, ByteBuffer bytes, long at) throws IOException {
        long next = at;
        while (bytes.hasRemaining()) {
            next += channel.write(bytes, next);
        }
    }

    SlotHeader header() {
        return header;
    }

    Members members() {
        return members;
    }

    /** Counts how often everything was forgotten. */
    long generation() {
        return (long) LONG.getVolatile(head, GENERATION);
    }

    void nextGeneration() {
        long before = (long) LONG.getAndAdd(head, GENERATION, 1L);
        assert before >= 0;
        changed();
    }

    /** A number that differs after a sample came or went. */
    long changes() {
        return (long) LONG.getVolatile(head, CHANGES);
    }

    void changed() {
        long before = (long) LONG.getAndAdd(head, CHANGES, 1L);
        assert before >= 0;
    }

    MappedEntries slots() {
        return map(SLOTS, header.held(), SLOT_BYTES);
    }

    MappedEntries samples() {
        return map(header.dataOffset(), header.held(), header.layout().sampleBytes());
    }

    private MappedEntries map(long offset, long count, int width) {
        try {
            return MappedEntries.map(channel, offset, count, width);
        } catch (IOException e) {
            throw new StoreException("cannot map slots at " + path, e);
        }
    }

    /** Samples of a range, in one mapping of their own. */
    ByteBuffer samples(long from, long to) {
        long width = header.layout().sampleBytes();
        try {
            return channel.map(FileChannel.MapMode.READ_ONLY, header.dataOffset() + from * width, (to - from) * width);
        } catch (IOException e) {
            throw new StoreException("cannot map slots at " + path, e);
        }
    }

    Members.Membership join(SampleKey keys) {
        ONE_AT_A_TIME.lock();
        try (FileLock lock = channel.lock()) {
            assert lock.isValid();
            return members.join(keys);
        } catch (IOException e) {
            throw new StoreException("cannot join the users of slots at " + path, e);
        } finally {
            ONE_AT_A_TIME.unlock();
        }
    }

    @Override
    public void close() {
        ONE_AT_A_TIME.lock();
        try {
            channel.close();
        } catch (IOException e) {
            throw new StoreException("cannot close slots at " + path, e);
        } finally {
            ONE_AT_A_TIME.unlock();
        }
    }

    @Override
    public String toString() {
        return path + ", " + header.held() + " of " + header.layout();
    }
}
