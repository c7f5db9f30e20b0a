package io.penstock.cache.chronicle;

import io.penstock.cache.Lease;
import io.penstock.cache.SampleKey;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * The right to load a key, shared among processes by locks on single bytes of a file. A caller that waits asks again,
 * soon and then less often.
 */
final class NodeLeases {

    private static final long FIRST_WAIT_MILLIS = 1;
    private static final long LONGEST_WAIT_MILLIS = 32;
    private static final long SLOTS = 1L << 62;

    private final DirectoryLocks locks;
    private final Appends appends;
    private final Predicate<SampleKey> isThere;
    private final Mono<Void> follow;

    /** @param follow reads what other processes have appended */
    NodeLeases(DirectoryLocks locks, Appends appends, Predicate<SampleKey> isThere, Mono<Void> follow) {
        this.locks = locks;
        this.appends = appends;
        this.isThere = isThere;
        this.follow = follow;
    }

    /** Emits once: when the caller may load the key, or when there is nothing to load. */
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

        /** A timer that fires after the request was cancelled does nothing. */
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

        /** A lease is not lost if the request is cancelled at the same moment: one of the two sees the other. */
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
        FileLock lock = locks.tryKey(slot);
        return lock == null ? null : new Held(key, lock);
    }

    private final class Held implements Lease {
        private final SampleKey key;
        private final FileLock lock;
        private final AtomicBoolean released = new AtomicBoolean();

        Held(SampleKey key, FileLock lock) {
            this.key = key;
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
            }
        }
    }
}
