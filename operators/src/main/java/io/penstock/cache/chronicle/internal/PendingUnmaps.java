package io.penstock.cache.chronicle.internal;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Files that were deleted and are still mapped, by the tier and by views that callers hold. The file system gets their
 * room back when the last view is unreachable, which only the collector knows. Until then they count in the budget.
 * Confined to one thread, which may have to wait.
 */
final class PendingUnmaps {

    private static final long MIN_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_PAUSE = TimeUnit.SECONDS.toNanos(30);
    /** Until the collector tells of anything: longer than a thread of a busy machine waits for its turn. */
    private static final long MAX_WAIT_MILLIS = 2_000;

    /** Until it has told of the rest. */
    private static final long WAIT_MILLIS = 200;

    private final SharedCounters counters;
    private final ReferenceQueue<Object> gone = new ReferenceQueue<>();
    private final Map<Reference<?>, Long> sizes = new HashMap<>();
    private long bytes;
    private long pause = MIN_PAUSE;
    private long collected = System.nanoTime() - MIN_PAUSE;

    PendingUnmaps(SharedCounters counters) {
        this.counters = counters;
    }

    void add(Segment segment, long occupied) {
        sizes.put(new PhantomReference<>(segment.bytes(), gone), occupied);
        bytes += occupied;
    }

    /** The bytes that are still occupied; what is not any more is given back to the budget. */
    long bytes() {
        for (Reference<?> one = gone.poll(); one != null; one = gone.poll()) {
            giveBack(one);
        }
        return bytes;
    }

    /** Whether it was that of a file. */
    private boolean giveBack(Reference<?> one) {
        Long size = sizes.remove(one);
        if (size == null) {
            return false;
        }
        bytes -= size;
        counters.giveBack(size);
        return true;
    }

    /**
     * Runs the collector ({@code System.gc()}), less and less often while callers hold the views; whether anything was
     * given back.
     */
    boolean collect() {
        long before = bytes();
        if (before == 0 || System.nanoTime() - collected < pause) {
            return false;
        }
        Reference<?> unreachable = new PhantomReference<>(new Object(), gone); // told of though callers hold all views
        System.gc();
        collected = System.nanoTime();
        try {
            for (Reference<?> one = gone.remove(MAX_WAIT_MILLIS);
                    one != null && !giveBack(one);
                    one = gone.remove(WAIT_MILLIS)) {
                // they come shortly after one another
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Reference.reachabilityFence(unreachable);
        }
        boolean some = bytes() < before;
        pause = some ? 0 : Math.min(MAX_PAUSE, Math.max(MIN_PAUSE, 2 * pause));
        return some;
    }
}
