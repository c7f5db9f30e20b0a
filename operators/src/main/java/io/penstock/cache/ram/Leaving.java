package io.penstock.cache.ram;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Memory that was given up, but is not back with the system: a view of it may still be read, and only the collector
 * knows. Thread-safe.
 */
final class Leaving {

    private static final long LITTLE = 64L << 20;

    private final ReferenceQueue<ByteBuffer> gone = new ReferenceQueue<>();
    private final Map<Reference<?>, Long> sizes = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final long limit;

    /** @param part of the budget that may be leaving, unless it is little */
    Leaving(long part) {
        this.limit = Math.max(LITTLE, part);
    }

    void add(ByteBuffer memory, long resident) {
        bytes.addAndGet(resident);
        sizes.put(new PhantomReference<>(memory, gone), resident);
    }

    /** Whether more than the limit is not back yet. */
    boolean isTooMuch() {
        for (Reference<?> one = gone.poll(); one != null; one = gone.poll()) {
            isBack(one);
        }
        return bytes.get() > limit;
    }

    private void isBack(@Nullable Reference<?> one) {
        Long size = one == null ? null : sizes.remove(one);
        if (size != null) {
            bytes.addAndGet(-size);
        }
    }

    /**
     * Waits until no more than the limit is leaving. After a collection a thread of the JVM says what is gone, which
     * takes it a moment.
     * @return whether it is so; false if that takes longer than this, or the thread is interrupted
     */
    boolean await(long nanos) {
        long end = System.nanoTime() + nanos;
        try {
            while (isTooMuch()) {
                long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (millis <= 0) {
                    return false;
                }
                isBack(gone.remove(millis));
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
