package io.penstock.cache.chronicle;

import io.penstock.cache.Lease;
import io.penstock.cache.SampleKey;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * Who loads a key, agreed between processes by locks on single bytes, which the kernel frees when their owner dies, and
 * within this process, to which such locks do not apply, by a map. Waiting is asking again, soon and then less often.
 */
final class NodeLeases {

    private static final long FIRST_WAIT_MILLIS = 1;
    private static final long LONGEST_WAIT_MILLIS = 32;
    private static final long SLOTS = 1L << 62;

    private final DirectoryLocks locks;
    private final Appends appends;
    private final Predicate<SampleKey> isThere;
    private final Mono<Void> follow;
    private final ConcurrentMap<Long, Boolean> taken = new ConcurrentHashMap<>();

    /** @param follow looks at what other processes have appended; {@code null} is never emitted */
    NodeLeases(DirectoryLocks locks, Appends appends, Predicate<SampleKey> isThere, Mono<Void> follow) {
        this.locks = locks;
        this.appends = appends;
        this.isThere = isThere;
        this.follow = follow;
    }

    /** Emits once, when this process may load the key, or once there is nothing to load. */
    Mono<Lease> lease(SampleKey key) {
        return Mono.<Lease>create(sink -> new Request(key, sink).ask(FIRST_WAIT_MILLIS))
                .flatMap(lease -> follow.thenReturn(lease).doOnCancel(lease::release));
    }

    private final class Request {
        private final SampleKey key;
        private final MonoSink<Lease> sink;
        private final AtomicReference<@Nullable Lease> given = new AtomicReference<>();
        private volatile boolean cancelled;

        Request(SampleKey key, MonoSink<Lease> sink) {
            this.key = key;
            this.sink = sink;
            sink.onCancel(this::cancel);
        }

        /** A timer that is under way when the wish is given up finds that out when it fires. */
        void ask(long millis) {
            if (cancelled) {
                return;
            }
            try {
                Lease lease = isThere.test(key) ? () -> {} : take(key);
                if (lease != null) {
                    give(lease);
                } else {
                    Mono.delay(Duration.ofMillis(millis), Schedulers.parallel())
                            .then(follow)
                            .subscribe(never -> {}, sink::error, () -> ask(Math.min(2 * millis, LONGEST_WAIT_MILLIS)));
                }
            } catch (IOException e) {
                sink.error(e);
            }
        }

        /** Not lost when the wish is given up at the same moment: one of the two sees the other. */
        private void give(Lease lease) {
            given.set(lease);
            if (cancelled) {
                lease.release();
            } else {
                sink.success(lease);
            }
        }

        private void cancel() {
            cancelled = true;
            Lease lease = given.get();
            if (lease != null) {
                lease.release();
            }
        }
    }

    private @Nullable Lease take(SampleKey key) throws IOException {
        long slot = (key.high() ^ Long.rotateLeft(key.low(), 32)) & SLOTS - 1;
        if (taken.putIfAbsent(slot, true) != null) {
            return null;
        }
        FileLock lock = null;
        try {
            lock = locks.tryKey(slot);
        } finally {
            if (lock == null) {
                taken.remove(slot);
            }
        }
        return lock == null ? null : new Held(key, slot, lock);
    }

    private final class Held implements Lease {
        private final SampleKey key;
        private final long slot;
        private final FileLock lock;
        private final AtomicBoolean released = new AtomicBoolean();

        Held(SampleKey key, long slot, FileLock lock) {
            this.key = key;
            this.slot = slot;
            this.lock = lock;
        }

        /** Once the value, if one was put, is appended. */
        @Override
        public void release() {
            if (released.compareAndSet(false, true)) {
                appends.afterAppending(key, this::unlock);
            }
        }

        private void unlock() {
            try {
                lock.release();
            } catch (IOException e) {
                // the channel is closed, and the lock with it
            } finally {
                taken.remove(slot);
            }
        }
    }
}
