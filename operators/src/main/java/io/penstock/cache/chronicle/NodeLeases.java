package io.penstock.cache.chronicle;

import io.penstock.cache.Lease;
import io.penstock.cache.SampleKey;
import io.penstock.cache.chronicle.internal.SharedCounters;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Told;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The right to load a key, shared among processes by locks on single bytes of a file. A caller that waits asks again,
 * soon and then less often.
 *
 * <p>A lock takes longer the more of them there are: the kernel and the JDK keep lists. So the process that opens a
 * directory first has one lock that stands for those of all keys. When another one opens it, each key that is being
 * loaded or appended gets its own, and the one is released.
 */
final class NodeLeases {

    private static final Logger LOG = LoggerFactory.getLogger(NodeLeases.class);
    private static final Lease NOTHING = () -> {};
    private static final long FIRST_WAIT_MILLIS = 1;
    private static final long LONGEST_WAIT_MILLIS = 32;
    private static final long LOOK_MILLIS = 100;

    private final DirectoryLocks locks;
    private final SharedCounters counters;
    private final long opened;
    private final Appends appends;
    private final Predicate<SampleKey> isThere;
    private final Mono<Void> follow;

    /** By slot, those that are given in this process. */
    private final ConcurrentMap<Long, Held> given = new ConcurrentHashMap<>();

    /** @param follow reads what other processes have appended */
    NodeLeases(
            DirectoryLocks locks,
            SharedCounters counters,
            Appends appends,
            Predicate<SampleKey> isThere,
            Mono<Void> follow) {
        this.locks = locks;
        this.counters = counters;
        this.opened = counters.opened();
        this.appends = appends;
        this.isThere = isThere;
        this.follow = follow;
        if (locks.hasAllKeys()) {
            appends.each(LOOK_MILLIS, this::isAlone);
        }
    }

    /** Whether no other process has opened the directory since this one did. */
    private boolean isAlone() {
        boolean alone = locks.hasAllKeys();
        if (alone && counters.opened() != opened) {
            alone = false;
            lockEach();
        }
        return alone;
    }

    private void lockEach() {
        FileLock all = locks.leaveAllKeys();
        if (all != null) {
            given.values().forEach(Held::lock);
            appends.keys().forEach(this::lockUntilAppended); // after it, for what was released meanwhile
            unlock(all);
        }
    }

    private void lockUntilAppended(SampleKey key) {
        Held held = new Held(key);
        if (given.putIfAbsent(held.slot, held) == null) {
            held.lock();
            held.release();
        }
    }

    private static void unlock(FileLock lock) {
        try {
            lock.release();
        } catch (IOException e) {
            LOG.debug("the channel is closed, and the lock with it", e);
        }
    }

    /** Emits once: when the caller may load the key, or when there is nothing to load. */
    Mono<Lease> lease(SampleKey key) {
        if (isAlone() && !given.containsKey(slot(key))) {
            return Mono.fromCallable(() -> Objects.requireNonNullElse(takeOrFind(key), NOTHING));
        }
        return Told.<Lease>mono(told -> new Request(key, told).ask(FIRST_WAIT_MILLIS))
                .flatMap(lease -> follow.thenReturn(lease).doOnCancel(lease::release));
    }

    private final class Request {
        private final SampleKey key;
        private final Told<Lease> told;
        private final AtomicReference<@Nullable Lease> got = new AtomicReference<>();
        private volatile boolean cancelled;

        Request(SampleKey key, Told<Lease> told) {
            this.key = key;
            this.told = told;
            told.onCancel(this::cancel);
        }

        /** A timer that fires after the request was cancelled does nothing. */
        void ask(long millis) {
            if (cancelled) {
                return;
            }
            Lease lease = takeOrFind(key);
            if (lease != null) {
                give(lease);
            } else {
                Mono.delay(Duration.ofMillis(millis), GuardedScheduler.PARALLEL)
                        .then(follow)
                        .subscribe(
                                never -> {},
                                failure -> told.tell(null, failure),
                                () -> told.attempt(() -> ask(Math.min(2 * millis, LONGEST_WAIT_MILLIS))));
            }
        }

        /** A lease is not lost if the request is cancelled at the same moment: one of the two sees the other. */
        private void give(Lease lease) {
            got.set(lease);
            if (cancelled) {
                lease.release();
            } else {
                told.tell(lease, null);
            }
        }

        private void cancel() {
            cancelled = true;
            Lease lease = got.get();
            if (lease != null) {
                lease.release();
            }
        }
    }

    private @Nullable Lease takeOrFind(SampleKey key) {
        return isThere.test(key) ? NOTHING : take(key);
    }

    private static long slot(SampleKey key) {
        return (key.high() ^ Long.rotateLeft(key.low(), 32)) & DirectoryLocks.SLOTS - 1;
    }

    private @Nullable Lease take(SampleKey key) {
        Held held = new Held(key);
        if (given.putIfAbsent(held.slot, held) != null) {
            return null;
        }
        if (isAlone() || held.lock()) {
            return held;
        }
        given.remove(held.slot, held);
        return null;
    }

    private final class Held implements Lease {
        private final SampleKey key;
        private final Long slot;
        private final AtomicReference<@Nullable FileLock> lock = new AtomicReference<>();
        private final AtomicBoolean released = new AtomicBoolean();

        Held(SampleKey key) {
            this.key = key;
            this.slot = slot(key);
        }

        /** Whether it has a lock of its own now. */
        boolean lock() {
            try {
                FileLock own = locks.tryKey(slot);
                if (own != null) {
                    lock.set(own);
                    if (released.get()) {
                        appends.afterAppending(key, this::end); // it may have been released before it had a lock
                    }
                }
            } catch (IOException e) {
                LOG.debug("a key is loaded without a lock", e); // as a tier whose leases fail
                return true;
            }
            return lock.get() != null;
        }

        /** Once the value, if one was put, is appended; while this process is alone, others have none to wait for. */
        @Override
        public void release() {
            if (released.compareAndSet(false, true)) {
                if (isAlone()) {
                    end();
                } else {
                    appends.afterAppending(key, this::end);
                }
            }
        }

        private void end() {
            FileLock own = lock.get();
            if (own != null) {
                unlock(own);
            }
            given.remove(slot, this);
        }
    }
}
