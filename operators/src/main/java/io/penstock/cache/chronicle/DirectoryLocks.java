package io.penstock.cache.chronicle;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The byte ranges of one file that stand for rights in a directory. The kernel takes back those of a dead process, whatever
 * it died of, and no process id is compared, which mean nothing between containers.
 *
 * <p>They belong to the process, and closing any channel of the file gives all of them up. So there is one channel, and a
 * second opening in the same JVM is refused before it opens the file: by a lock on another file, of which the JDK itself
 * knows that this JVM holds it.
 */
final class DirectoryLocks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DirectoryLocks.class);
    private static final long ALIVE = 0;
    private static final long OPENING = 1;
    private static final long FIRST_KEY = 1L << 32;

    private final FileChannel once;
    private final FileChannel channel;

    private DirectoryLocks(FileChannel once, FileChannel channel) {
        this.once = once;
        this.channel = channel;
    }

    /** @throws StoreException if this JVM has the directory open already */
    static DirectoryLocks open(CacheFiles files) throws IOException {
        FileChannel once = openFile(files.once());
        try {
            FileLock lock = once.lock(0, 1, true);
            assert lock.isValid();
            return new DirectoryLocks(once, openFile(files.locks()));
        } catch (OverlappingFileLockException e) {
            once.close();
            throw new StoreException(
                    "the cache in %s is open in this process already; share that tier, or choose another directory"
                            .formatted(files.root),
                    e);
        } catch (IOException e) {
            once.close();
            throw e;
        }
    }

    private static FileChannel openFile(java.nio.file.Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Waits until no other process is between its first look and its last change. */
    FileLock opening() throws IOException {
        return channel.lock(OPENING, 1, false);
    }

    /** Whether nobody else has the directory open. Only while {@link #opening} is held. */
    boolean isAlone() throws IOException {
        FileLock all = channel.tryLock(ALIVE, 1, false);
        if (all != null) {
            all.release();
        }
        return all != null;
    }

    /** Joins those who have the directory open, or keeps others out; false if somebody is there who does not go with that. */
    boolean join(boolean shared) throws IOException {
        return channel.tryLock(ALIVE, 1, shared) != null;
    }

    /** The right to load the keys of a slot in [0, 2^62); {@code null} while another process has it. */
    @Nullable FileLock tryKey(long slot) throws IOException {
        return channel.tryLock(FIRST_KEY + slot, 1, false);
    }

    @Override
    public void close() {
        try (once) {
            channel.close();
        } catch (IOException e) {
            LOG.debug("giving up the locks failed, and they with it", e);
        }
    }
}
