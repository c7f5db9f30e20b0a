package io.penstock.internal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
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
 * allows a JVM only one. So a second opening fails before it opens the lock file. {@link #shared} avoids it by one
 * descriptor for all users of a file in this JVM. Here the exception of the second trap means the same as a lock of
 * another process.
 */
public final class NodeLock implements Closeable {

    private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(500);

    /** Guards {@link #SHARED} and the numbers in it, which belong to the process as the locks do. */
    private static final ReentrantLock SHARING = new ReentrantLock();

    private static final Map<Object, Shared> SHARED = new HashMap<>();

    private final FileChannel channel;
    private final Closeable atEnd;
    private final AtomicBoolean closed = new AtomicBoolean();

    private static final class Shared {
        private final FileChannel channel;
        private int users;

        Shared(FileChannel channel) {
            this.channel = channel;
        }
    }

    private NodeLock(FileChannel channel, Closeable atEnd) {
        this.channel = channel;
        this.atEnd = atEnd;
    }

    /** Opens a lock file, or makes it; {@code null} if this JVM has it open already. */
    public static @Nullable NodeLock open(Path file, Path guard) throws IOException {
        FileChannel guarding = openFile(guard);
        try {
            FileLock own = guarding.tryLock(0, 1, true);
            if (own != null) {
                FileChannel channel = openFile(file);
                return new NodeLock(channel, () -> {
                    try (guarding) {
                        channel.close();
                    }
                });
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

    /**
     * Opens a lock file, or makes it, or joins those in this JVM who have it open; the last one closes it. No user may be
     * interrupted while it reads or writes the channel: that would close the channel for all.
     */
    public static NodeLock shared(Path file) throws IOException {
        SHARING.lock();
        try {
            if (!Files.exists(file)) {
                openFile(file).close();
            }
            Object inode = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            Object key = inode == null ? file.toRealPath() : inode;
            Shared shared = SHARED.get(key);
            if (shared == null) {
                shared = new Shared(openFile(file));
                SHARED.put(key, shared);
            }
            shared.users++;
            return new NodeLock(shared.channel, () -> leave(key));
        } finally {
            SHARING.unlock();
        }
    }

    private static void leave(Object key) throws IOException {
        SHARING.lock();
        try {
            Shared shared = Objects.requireNonNull(SHARED.get(key));
            shared.users--;
            if (shared.users == 0) {
                SHARED.remove(key);
                shared.channel.close();
            }
        } finally {
            SHARING.unlock();
        }
    }

    private static FileChannel openFile(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** The opened file, for what it holds beside the locks. */
    public FileChannel channel() {
        return channel;
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

    /** Releases all locks of this process on the file, unless others in this JVM share it. */
    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            atEnd.close();
        }
    }
}
