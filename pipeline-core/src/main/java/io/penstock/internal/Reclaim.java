package io.penstock.internal;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Room that was given up and is back only when the collector has found it unreachable, since views of it may still be
 * read: memory, or deleted files that are mapped. The heap does not show how much depends on a view, so the collector
 * may not come for long. This class is the only one that calls {@code System.gc()}.
 *
 * <p>It does so at once the first time. While callers hold the views it does it again after a pause, which doubles from
 * 20 ms to 10 s, since a collection looks at all that lives.
 *
 * <p>Threads: {@link #collect} one at a time, which may have to wait; all else any number of them.
 */
public final class Reclaim {

    private static final long WORTH_COLLECTING = 64L << 20;
    /** A command ends within this after it has closed its cache, on a busy machine too. */
    private static final long SOON_MILLIS = 250;

    private static final AtomicBoolean PUT_OFF = new AtomicBoolean();

    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(10);

    /** Until the collector tells of anything: longer than a thread of a busy machine waits for its turn. */
    private static final long PATIENCE_MILLIS = 2_000;

    /** Until it has told of the rest. */
    private static final long QUIET_MILLIS = 100;

    private final LongConsumer back;
    private final Runnable collector;
    private final ReferenceQueue<Object> gone = new ReferenceQueue<>();
    private final Map<Reference<?>, Long> sizes = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private long pause;
    private long collected = System.nanoTime();
    private long patienceMillis = PATIENCE_MILLIS;

    /** @param back told of the bytes that are back, each time */
    public Reclaim(LongConsumer back) {
        this(back, Reclaim::now);
    }

    Reclaim(LongConsumer back, Runnable collector) {
        this.back = back;
        this.collector = collector;
    }

    /** Has the collector run once: something waits for what it finds. */
    public static void now() {
        System.gc();
    }

    /**
     * Does the same in a moment, on another thread, if this many bytes come back by it and they are worth it. A program
     * that ends before does not pay for it, and its caller's last views are gone by then.
     */
    public static void soonIfWorth(long bytes) {
        if (bytes >= WORTH_COLLECTING && PUT_OFF.compareAndSet(false, true)) {
            GuardedScheduler.ELASTIC.schedule(Reclaim::nowIfPutOff, SOON_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Does at once what was put off: memory is about to be measured or taken. */
    public static void nowIfPutOff() {
        if (PUT_OFF.compareAndSet(true, false)) {
            now();
        }
    }

    /** This many bytes are back once nothing leads to the memory. */
    public void add(Object memory, long resident) {
        bytes.addAndGet(resident);
        sizes.put(new PhantomReference<>(memory, gone), resident);
    }

    /** The bytes that are not back yet. */
    public long bytes() {
        for (Reference<?> one = gone.poll(); one != null; one = gone.poll()) {
            isBack(one);
        }
        return bytes.get();
    }

    private void isBack(Reference<?> one) {
        Long size = sizes.remove(one);
        if (size != null) {
            bytes.addAndGet(-size);
            back.accept(size);
        }
    }

    /**
     * Has the collector run, unless it has lately run in vain, and waits for what it says.
     * @return whether it ran, and no more than this is missing now; false too if so little was missing before
     */
    public boolean collect(long enough) {
        if (bytes() <= enough) {
            pause = 0;
            return false;
        }
        if (System.nanoTime() - collected < pause) {
            return false;
        }
        Reference<?> unreachable = new PhantomReference<>(new Object(), gone); // told of though callers hold all views
        collector.run();
        collected = System.nanoTime();
        try {
            Reference<?> one = gone.remove(patienceMillis);
            patienceMillis = one == null ? QUIET_MILLIS : PATIENCE_MILLIS; // a JVM may be told not to obey
            for (; one != null; one = bytes.get() <= enough ? null : gone.remove(QUIET_MILLIS)) {
                isBack(one); // they come shortly after one another
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Reference.reachabilityFence(unreachable);
        }
        boolean isEnough = bytes() <= enough;
        pause = isEnough ? 0 : Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, 2 * pause));
        return isEnough;
    }
}
