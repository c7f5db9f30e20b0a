package io.penstock.cache.chronicle;

import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.fault.StoreException;
import io.penstock.internal.NodeLock;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rights that processes share in a cache's directory: one byte of its lock file each. */
final class DirectoryLocks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DirectoryLocks.class);
    private static final long ALIVE = 0;
    private static final long OPENING = 1;
    private static final long ALL_KEYS = 2;
    private static final long FIRST_KEY = 1L << 32;
    static final long SLOTS = 1L << 62;

    private final NodeLock locks;
    private final AtomicReference<@Nullable FileLock> allKeys = new AtomicReference<>();
    private volatile boolean othersHaveAll = true; // until it is known

    private DirectoryLocks(NodeLock locks) {
        this.locks = locks;
    }

    /** @throws StoreException if this JVM has the directory open already */
    static DirectoryLocks open(CacheFiles files) throws IOException {
        NodeLock locks = NodeLock.open(files.locks(), files.once());
        if (locks == null) {
            throw new StoreException(
                    "the cache in %s is open in this process already; share that tier, or choose another directory"
                            .formatted(files.root));
        }
        return new DirectoryLocks(locks);
    }

    /** Waits until no other process opens or clears the directory. */
    FileLock opening() throws IOException {
        return locks.lock(OPENING);
    }

    /** Whether no other process has the directory open. Only while {@link #opening} is held. */
    boolean isAlone() throws IOException {
        try (FileLock all = locks.tryLock(ALIVE, false)) {
            return all != null;
        }
    }

    /** Joins the processes that have the directory open, or excludes others; false if one that is there forbids it. */
    boolean join(boolean shared) throws IOException {
        return locks.tryLock(ALIVE, shared) != null;
    }

    /**
     * Takes the lock that stands for those of all keys. Only while {@link #opening} is held, and no other process is there.
     */
    void takeAllKeys() throws IOException {
        allKeys.set(locks.tryLock(ALL_KEYS, false));
        othersHaveAll = false;
    }

    boolean hasAllKeys() {
        return allKeys.get() != null;
    }

    /** The lock that stands for those of all keys, for one caller to release once each key has its own. */
    @Nullable FileLock leaveAllKeys() {
        return allKeys.getAndSet(null);
    }

    /** Whether no other process has that lock; then none takes it while this one is there. */
    private boolean othersLockEach() throws IOException {
        if (othersHaveAll) {
            try (FileLock all = locks.tryLock(ALL_KEYS, true)) {
                othersHaveAll = all == null;
            }
        }
        return !othersHaveAll;
    }

    /** The right to load the keys of a slot in [0, {@link #SLOTS}); {@code null} while another process or thread has it. */
    @Nullable FileLock tryKey(long slot) throws IOException {
        return othersLockEach() ? locks.tryLock(FIRST_KEY + slot, false) : null;
    }

    @Override
    public void close() {
        try {
            locks.close();
        } catch (IOException e) {
            LOG.debug("closing the lock file failed; its locks are released", e);
        }
    }
}
