package io.penstock.store.mirror;

import io.penstock.internal.NodeLock;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks that let one process at a time copy an entry. A lock is one byte of a file, at an offset that follows from the
 * entry's name. The operating system releases the locks of a process that dies.
 */
final class MirrorLocks {

    static final Duration FIRST_WAIT = Duration.ofMillis(2);

    /** A process that waits longer reads from the source. */
    static final Duration MAX_WAITED = Duration.ofMinutes(1);

    private static final Duration MAX_WAIT = Duration.ofMillis(100);
    private static final Logger LOG = LoggerFactory.getLogger(MirrorLocks.class);

    private final NodeLock locks;

    MirrorLocks(Path directory) throws IOException {
        this.locks = NodeLock.shared(directory.resolve(".penstock-mirror-turns"));
    }

    /** The lock, to be released; null while another process or store has it. Does not wait. */
    @Nullable FileLock take(String name) throws IOException {
        long place = Integer.toUnsignedLong(name.hashCode()) << 31 | Integer.toUnsignedLong(name.length());
        return locks.tryLock(place, false);
    }

    /** The wait before the next attempt, twice as long up to a limit. */
    static Duration nextWait(Duration wait) {
        Duration twice = wait.multipliedBy(2);
        return twice.compareTo(MAX_WAIT) > 0 ? MAX_WAIT : twice;
    }

    static void release(FileLock lock) {
        try {
            lock.release();
        } catch (IOException e) {
            LOG.debug("a lock was released by closing", e);
        }
    }

    void close() throws IOException {
        locks.close();
    }
}
