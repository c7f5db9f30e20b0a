package io.penstock.cache.redis;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The right to change what a node's processes know of their server: one thread of one process at a time.
 *
 * <p>The kernel's locks belong to the process, and closing any descriptor of a file gives up all of them. So within a
 * process the first of two files decides, by the JDK's own table of locks, and only its owner opens the other. Nothing else
 * may open the second file, nor hand it to a child: {@code ProcessBuilder} opens and closes what it redirects.
 */
final class Turn implements AutoCloseable {

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    private final FileChannel here;
    private final FileChannel everywhere;

    private Turn(FileChannel here, FileChannel everywhere) {
        this.here = here;
        this.everywhere = everywhere;
    }

    /** Waits for it. */
    static Turn take(Path home) throws IOException {
        FileChannel here = first(home.resolve("turn-here"));
        try {
            FileChannel everywhere = open(home.resolve("turn"));
            FileLock lock = everywhere.lock();
            assert lock.isValid();
            return new Turn(here, everywhere);
        } catch (IOException | RuntimeException e) {
            here.close();
            throw e;
        }
    }

    private static FileChannel first(Path file) throws IOException {
        while (true) {
            FileChannel channel = open(file);
            try {
                FileLock lock = channel.tryLock(0, 1, true); // shared: other processes do not matter here
                if (lock != null) {
                    return channel;
                }
            } catch (OverlappingFileLockException e) {
                // another thread of this process has its turn
            }
            channel.close();
            LockSupport.parkNanos(PAUSE);
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Override
    public void close() throws IOException {
        try (here) {
            everywhere.close();
        }
    }
}
