package io.penstock.cache.ram;

import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory off the Java heap, as much as there is.
 *
 * <p>{@code ByteBuffer.allocateDirect} stops at {@code -XX:MaxDirectMemorySize}, which is the size of the heap unless
 * another limit is given, and nothing else in the JDK 17 hands out plain memory. So every slab is a private
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

    private final List<Path> directories;
    private @Nullable FileChannel file;
    private boolean unusable;

    /** In the first of these directories that is on a disk. */
    SlabMemory(List<Path> directories) {
        this.directories = directories;
    }

    static SlabMemory inTemporaryFile() {
        return new SlabMemory(List.of(Path.of(System.getProperty("java.io.tmpdir", "/tmp")), Path.of("/var/tmp")));
    }

    /** This many bytes, all zero, whose pages cost nothing until they are touched; {@code null} if there is no way. */
    @Nullable ByteBuffer map(int bytes) {
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
                    return open.map(MapMode.PRIVATE, 0, bytes);
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
