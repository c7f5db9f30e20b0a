package io.penstock.cache.internal;

import io.penstock.cache.SampleKey;
import io.penstock.internal.DrainLoop;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Values on their way to a slower place. They are found here until that place has them.
 *
 * <p>A value is found at every moment from its put on: it enters here first, can then be found in the other place, and
 * leaves after that. So a caller that looks here first and there second does not miss it.
 *
 * <p>Threads: any number; the passes run one at a time.
 * @param <W> what the place needs to know of a value
 */
public final class WriteBehind<W extends WriteBehind.Write> {

    private final ConcurrentMap<SampleKey, W> findable = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Object moving = new Object();
    private final Queue<W> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final DrainLoop loop = new DrainLoop();
    private final Executor thread;
    private final Runnable pass;

    /**
     * @param thread runs the passes
     * @param pass   takes writes by {@link #poll}, as far as the place takes them
     */
    public WriteBehind(Executor thread, Runnable pass) {
        this.thread = thread;
        this.pass = pass;
    }

    /** A value that waits to be written. */
    public abstract static class Write {
        private final SampleKey key;
        private final Encoded value;
        private final CompletableFuture<Boolean> held = new CompletableFuture<>();

        protected Write(SampleKey key, Encoded value) {
            this.key = key;
            this.value = value;
        }

        public final SampleKey key() {
            return key;
        }

        public final Encoded value() {
            return value;
        }

        /** The value, read-only. */
        public final ByteBuffer view() {
            return value.joined().asReadOnlyBuffer();
        }

        /** What the write takes in the other place, about. */
        public abstract long bytes();

        /** Whether the other place holds the value, once that is known. Never fails. */
        public final CompletionStage<Boolean> held() {
            return held.copy();
        }

        /** Ends the wait of all who wait for this write. */
        public final void complete(boolean isHeld) {
            held.complete(isHeld);
        }
    }

    public @Nullable ByteBuffer find(SampleKey key) {
        W found = count.get() == 0 ? null : findable.get(key);
        return found == null ? null : found.view();
    }

    /** The write of a key that can be found here. */
    public @Nullable W write(SampleKey key) {
        return findable.get(key);
    }

    /** Lets a value be found; false if one with its key can be found here already. */
    public boolean enter(W write) {
        boolean entered = findable.putIfAbsent(write.key(), write) == null;
        if (entered) {
            count.incrementAndGet();
        }
        return entered;
    }

    /** Lets a value be found no longer, if it can be. */
    public void leave(W write) {
        if (findable.remove(write.key(), write)) {
            count.decrementAndGet();
        }
    }

    /** Lets a value be found in the other place and no longer here, so that {@link #countWith} counts it once. */
    public void move(W write, Runnable publication) {
        synchronized (moving) {
            publication.run();
            leave(write);
        }
    }

    /** Puts a write at the end of the queue; the bytes that wait now. */
    public long enqueue(W write) {
        long waiting = bytes.addAndGet(write.bytes());
        queue.add(write);
        return waiting;
    }

    /** The next write of the queue. Its bytes wait until it is {@link #finish finished}. */
    public @Nullable W poll() {
        return queue.poll();
    }

    public boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Ends a write that was taken from the queue. */
    public void finish(W write, boolean held) {
        bytes.addAndGet(-write.bytes());
        leave(write);
        write.complete(held);
    }

    /** Has passes run until there was one after this call. */
    public void work() {
        if (loop.enter()) {
            thread.execute(() -> {
                do {
                    pass.run();
                } while (!loop.leave());
            });
        }
    }

    /** Runs once the place has, or will not have, the value of a key; now if none is on its way. */
    public void after(SampleKey key, Runnable action) {
        W write = findable.get(key);
        if (write == null) {
            action.run();
        } else {
            CompletionStage<Boolean> held = write.held();
            held.thenRun(action);
        }
    }

    /** The bytes of all writes that are not finished. */
    public long bytes() {
        return bytes.get();
    }

    /** How many values can be found here or in the other place, which has this many. */
    public long countWith(LongSupplier other) {
        synchronized (moving) {
            return other.getAsLong() + count.get();
        }
    }

    /** The writes that can be found here, copied. */
    public Set<W> writes() {
        return new HashSet<>(findable.values());
    }

    /** Their keys, copied. */
    public Set<SampleKey> keys() {
        return new HashSet<>(findable.keySet());
    }
}
