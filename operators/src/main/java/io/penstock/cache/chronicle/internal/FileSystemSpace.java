package io.penstock.cache.chronicle.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.posix.PosixAPI;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room of a real file system: taken by {@code fallocate} without changing a file's length, given back by a hole.
 * Where there is no such call, the free space is compared, with a margin for what other programs write meanwhile.
 * @see <a href="https://man7.org/linux/man-pages/man2/fallocate.2.html">fallocate(2)</a>
 */
public final class FileSystemSpace implements Space {

    private static final Logger LOG = LoggerFactory.getLogger(FileSystemSpace.class);
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int READ_WRITE = 2;
    private static final int RIGHTS = 0666;
    private static final int NO_SPACE = 28;
    private static final int QUOTA = 122;
    private static final long MARGIN = 16L << 20;

    private final Path directory;
    private final Object loading = new Object();
    private boolean asked;
    private @Nullable PosixAPI loaded;

    /** Loads nothing native until room is needed, so that a cache that only reads opens faster. */
    public FileSystemSpace(Path directory) {
        this.directory = directory;
    }

    private @Nullable PosixAPI calls() {
        synchronized (loading) {
            if (!asked) {
                asked = true;
                loaded = load();
            }
            return loaded;
        }
    }

    private static @Nullable PosixAPI load() {
        try {
            ChronicleSettings.apply();
            return PosixAPI.posix();
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("no fallocate here, so that free space is watched instead", e);
            return null;
        }
    }

    @Override
    public void reserve(Path file, long bytes) throws IOException {
        Files.createFile(file);
        boolean reserved = false;
        try {
            int error = allocate(file, KEEP_SIZE, 0, bytes);
            if (error == NO_SPACE || error == QUOTA) {
                throw new IOException("no space left for %d bytes in %s".formatted(bytes, directory));
            }
            if (error != 0 && free() < bytes + MARGIN) {
                throw new IOException("only %d bytes are free in %s".formatted(free(), directory));
            }
            reserved = true;
        } finally {
            if (!reserved) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void trim(Path file, long from, long to) {
        if (from < to) {
            allocate(file, KEEP_SIZE | PUNCH_HOLE, from, to - from);
        }
    }

    @Override
    public long free() throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    /** The error's number, 0 for none, -1 where there is no such call. */
    private int allocate(Path file, int mode, long from, long bytes) {
        PosixAPI posix = calls();
        int handle = posix == null ? -1 : posix.open(file.toString(), READ_WRITE, RIGHTS);
        if (posix == null || handle < 0) {
            return -1;
        }
        try {
            return posix.fallocate(handle, mode, from, bytes) == 0 ? 0 : posix.lastError();
        } finally {
            posix.close(handle);
        }
    }
}
