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
final class MirrorTurns {

    static final Duration FIRST_LOOK = Duration.ofMillis(2);

    /** A process that waits longer reads from the source. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration LAST_LOOK = Duration.ofMillis(100);
    private static final Logger LOG = LoggerFactory.getLogger(MirrorTurns.class);

    private final NodeLock locks;

    MirrorTurns(Path directory) throws IOException {
        this.locks = NodeLock.shared(directory.resolve(".penstock-mirror-turns"));
    }

    /** The turn, to be released; null while another process or store has it. Does not wait. */
    @Nullable FileLock take(String name) throws IOException {
        long place = Integer.toUnsignedLong(name.hashCode()) << 31 | Integer.toUnsignedLong(name.length());
        return locks.tryLock(place, false);
    }

    /** The wait before the next attempt, twice as long up to a limit. */
    static Duration nextLook(Duration look) {
        Duration twice = look.multipliedBy(2);
        return twice.compareTo(LAST_LOOK) > 0 ? LAST_LOOK : twice;
    }

    static void release(FileLock turn) {
        try {
            turn.release();
        } catch (IOException e) {
            LOG.debug("a turn was released by closing", e);
        }
    }

    void close() throws IOException {
        locks.close();
    }
}
