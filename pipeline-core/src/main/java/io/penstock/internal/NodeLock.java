package io.penstock.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Locks on single bytes of a file, by which the processes of a machine share rights. The kernel releases the locks of a
 * process that ends, however it ends. No process ids are compared: they mean nothing between containers.
 *
 * <p>Two properties of such locks are traps. They belong to the process: closing any descriptor of the file releases all
 * locks of the process on it. So a JVM must open a lock file once, and hand it to no child: {@code ProcessBuilder} opens
 * and closes what it redirects. And they exclude no thread of the same process: for those the JDK has a table and throws
 * {@code OverlappingFileLockException}.
 *
 * <p>{@link #open} avoids the first trap by a second file, the guard. All processes share a lock on it, but the JDK's table
 * allows a JVM only one. So a second opening fails before it opens the lock file. Here the exception of the second trap
 * means the same as a lock of another process.
 */
public final class NodeLock implements AutoCloseable {

    private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(500);

    private final FileChannel guard;
    private final FileChannel channel;

    private NodeLock(FileChannel guard, FileChannel channel) {
        this.guard = guard;
        this.channel = channel;
    }

    /** Opens a lock file, or makes it; {@code null} if this JVM has it open already. */
    public static @Nullable NodeLock open(Path file, Path guard) throws IOException {
        FileChannel guarding = openFile(guard);
        try {
            FileLock own = guarding.tryLock(0, 1, true);
            if (own != null) {
                return new NodeLock(guarding, openFile(file));
            }
        } catch (OverlappingFileLockException e) {
            // this JVM has it open
        } catch (IOException | RuntimeException e) {
            guarding.close();
            throw e;
        }
        guarding.close();
        return null;
    }

    private static FileChannel openFile(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** The lock on a byte; {@code null} while another process or thread holds one that excludes it. */
    public @Nullable FileLock tryLock(long at, boolean shared) throws IOException {
        return tryLock(channel, at, shared);
    }

    /** As {@link #tryLock(long, boolean)}, on a file that the caller has opened. */
    public static @Nullable FileLock tryLock(FileChannel channel, long at, boolean shared) throws IOException {
        try {
            return channel.tryLock(at, 1, shared);
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /** The exclusive lock on a byte, once no other process or thread holds one. Blocks. */
    public FileLock lock(long at) throws IOException {
        return lock(channel, at);
    }

    /** As {@link #lock(long)}, on a file that the caller has opened. */
    public static FileLock lock(FileChannel channel, long at) throws IOException {
        while (true) {
            try {
                return channel.lock(at, 1, false);
            } catch (OverlappingFileLockException e) {
                LockSupport.parkNanos(PAUSE);
            }
        }
    }

    /** Releases all locks of this process on the file. */
    @Override
    public void close() throws IOException {
        try (guard) {
            channel.close();
        }
    }
}
