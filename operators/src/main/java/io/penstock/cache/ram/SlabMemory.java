package io.penstock.cache.ram;

import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory off the Java heap, as much as there is.
 *
 * <p>A slab is a {@link MemoryFile} while half of the machine's memory file system would stay free for others.
 *
 * <p>After that it is mapped memory. {@code ByteBuffer.allocateDirect} stops at {@code -XX:MaxDirectMemorySize}, which
 * is the size of the heap unless
 * another limit is given, and nothing else in the JDK 17 hands out plain memory. So such a slab is a private
 * (copy-on-write) mapping of one and the same sparse temporary file, which is deleted as soon as it is open: a page
 * that is written to becomes anonymous memory of this process, nothing ever reaches the file, and the collector unmaps
 * a slab when its last view is unreachable. A page costs memory once it is touched, not before. Beside the slabs the
 * page cache keeps the file's empty pages, at most as many as the largest slab has, which the kernel drops whenever it
 * wants them.
 *
 * <p>On a memory file system those empty pages could not be dropped, and once it is full touching one kills the
 * process; such a directory is passed over. Without any other there is nothing to map, and {@link Slabs} uses direct
 * buffers.
 *
 * <p>Not thread-safe: {@link Slabs} calls it under its lock.
 * @see <a href="https://man7.org/linux/man-pages/man2/mmap.2.html">mmap(2), MAP_PRIVATE</a>
 */
final class SlabMemory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SlabMemory.class);
    private static final Set<String> MEMORY_FILE_SYSTEMS = Set.of("tmpfs", "ramfs", "devtmpfs");

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final List<Path> directories;
    private final Queue<ByteBuffer> pieces = new ConcurrentLinkedQueue<>();
    private boolean withoutFiles;
    private @Nullable FileChannel file;
    private boolean unusable;

    /**
     * Bytes, all zero or not to be read before they are written, whose pages cost nothing until they are.
     * @param file by which they are written, if it is a file
     */
    record Piece(ByteBuffer bytes, @Nullable MemoryFile file) {}

    /** In the first of these directories that is on a disk, and in no other. */
    SlabMemory(List<Path> directories) {
        this.directories = directories;
        this.withoutFiles = true;
    }

    private SlabMemory(Path temporary) {
        this.directories = List.of(temporary, Path.of("/var/tmp"));
    }

    static SlabMemory ofSystem() {
        return new SlabMemory(Path.of(System.getProperty("java.io.tmpdir", "/tmp")));
    }

    /**
     * This many bytes; {@code null} if there is no way.
     * @param ahead as {@link MemoryFile#in} has it
     */
    @Nullable Piece take(int bytes, int ahead) {
        Piece inFile = withoutFiles ? null : inFile(bytes, ahead);
        if (inFile != null) {
            return inFile;
        }
        return map(bytes);
    }

    private @Nullable Piece inFile(int bytes, int ahead) {
        boolean interrupted = Thread.interrupted(); // mapping is by a channel, which an interrupt closes
        try {
            FileStore store = Files.getFileStore(SHARED_MEMORY);
            if (MEMORY_FILE_SYSTEMS.contains(store.type())
                    && store.getUsableSpace() - bytes >= store.getTotalSpace() / 2) {
                MemoryFile file = MemoryFile.in(SHARED_MEMORY, bytes, ahead, pieces);
                return new Piece(file.bytes, file);
            }
            withoutFiles = true;
        } catch (ClosedChannelException e) {
            LOG.debug("interrupted, so this slab is mapped memory", e);
        } catch (IOException e) {
            withoutFiles(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return null;
    }

    /** From now on slabs are mapped memory. */
    void withoutFiles(IOException cause) {
        LOG.debug("no more slabs of the RAM cache in {}", SHARED_MEMORY, cause);
        withoutFiles = true;
    }

    /** Within {@code -XX:MaxDirectMemorySize}, and paid for at once. */
    static Piece direct(int bytes) {
        return new Piece(ByteBuffer.allocateDirect(bytes), null);
    }

    /** As {@link #take}, but none that is a file. */
    @Nullable Piece map(int bytes) {
        if (unusable) {
            return null;
        }
        // a channel closes itself when an interrupted thread uses it, and a cancelled stream interrupts its workers
        boolean interrupted = Thread.interrupted();
        try {
            for (; ; ) {
                try {
                    FileChannel open = file;
                    if (open == null) {
                        open = open();
                        file = open;
                    }
                    return new Piece(open.map(MapMode.PRIVATE, 0, bytes), null);
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    file = null;
                }
            }
        } catch (IOException e) {
            unusable = true;
            Notice.warn(
                    LOG,
                    "cannot map memory through a temporary file, so the RAM cache is limited by -XX:MaxDirectMemorySize:"
                            + " point -Djava.io.tmpdir to a directory on a disk, or raise that limit: {}",
                    e.toString());
            return null;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private FileChannel open() throws IOException {
        IOException refused = new IOException("no directory on a disk among " + directories);
        for (Path directory : directories) {
            try {
                if (!MEMORY_FILE_SYSTEMS.contains(Files.getFileStore(directory).type())) {
                    Path path = Files.createTempFile(directory, "penstock-", ".slab");
                    return FileChannel.open(
                            path,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.SPARSE,
                            StandardOpenOption.DELETE_ON_CLOSE);
                }
            } catch (IOException e) {
                refused.addSuppressed(e);
            }
        }
        throw refused;
    }

    @Override
    public void close() {
        try {
            FileChannel open = file;
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            LOG.debug("closing the slabs' temporary file failed, which costs nothing", e);
        }
    }
}
