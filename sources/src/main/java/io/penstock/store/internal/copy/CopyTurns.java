package io.penstock.store.internal.copy;

import io.penstock.internal.FileWork;
import io.penstock.internal.NodeLock;
import io.penstock.internal.SingleFlight;
import io.penstock.store.internal.ReadThreads;
import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Lets each copy be made once: for all threads that want it, and by one process at a time. A lock is one byte of a file,
 * at an offset that follows from the copy's name. The operating system releases the locks of a process that dies.
 */
public final class CopyTurns<T> implements Closeable {

    private static final Cleaner CLEANER = Cleaner.create();
    private static final Duration FIRST_WAIT = Duration.ofMillis(2);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);
    private static final Logger LOG = LoggerFactory.getLogger(CopyTurns.class);

    private final NodeLock locks;
    private final Cleaner.Cleanable cleanable;
    private final Duration patience;
    private final SingleFlight<String, T> making = new SingleFlight<>();

    /** @param patience how long another process may take for a copy */
    public CopyTurns(Path file, Duration patience) throws IOException {
        NodeLock shared = NodeLock.shared(file);
        this.locks = shared;
        this.patience = patience;
        this.cleanable = CLEANER.register(this, () -> close(shared));
    }

    private static void close(NodeLock locks) {
        FileWork.run("cannot close a file of locks", locks::close);
    }

    /**
     * The copy that {@code look} finds, or else what {@code make} makes; empty if another process takes too long. It goes
     * on if all callers cancel.
     */
    public Mono<T> once(String name, Mono<T> look, Mono<T> make) {
        return making.joinToEnd(name, () -> attempt(name, look, make, FIRST_WAIT, Duration.ZERO));
    }

    private Mono<T> attempt(String name, Mono<T> look, Mono<T> make, Duration wait, Duration waited) {
        return look.switchIfEmpty(Mono.defer(() -> {
            FileLock lock;
            try {
                lock = locks.tryLock(place(name), false);
            } catch (IOException e) {
                return Mono.error(e);
            }
            if (lock != null) {
                // looks again: another process may have finished it between the first look and the lock
                return look.switchIfEmpty(make).doFinally(end -> release(lock));
            }
            if (waited.compareTo(patience) > 0) {
                return Mono.empty();
            }
            Duration twice = wait.multipliedBy(2);
            Duration next = twice.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : twice;
            return Mono.delay(wait)
                    .publishOn(ReadThreads.SHARED)
                    .flatMap(late -> attempt(name, look, make, next, waited.plus(wait)));
        }));
    }

    private static long place(String name) {
        return Integer.toUnsignedLong(name.hashCode()) << 31 | Integer.toUnsignedLong(name.length());
    }

    private static void release(FileLock lock) {
        try {
            lock.release();
        } catch (IOException e) {
            LOG.debug("a lock was released by closing", e);
        }
    }

    /** Whether a thread of this JVM makes a copy. */
    public boolean isUnderWay(String name) {
        return making.isUnderWay(name);
    }

    /** Gives the file back, which happens, too, when this is no longer reachable. */
    @Override
    public void close() {
        cleanable.clean();
    }
}
