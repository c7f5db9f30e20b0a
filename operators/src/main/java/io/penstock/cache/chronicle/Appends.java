package io.penstock.cache.chronicle;

import io.penstock.cache.Origin;
import io.penstock.cache.SampleKey;
import io.penstock.node.AccessFaults;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The way from a put to the log: a queue, and one thread that empties it.
 *
 * <p>A value is findable at every moment from its put on: it enters {@link #pending} first, is published in the index, and
 * leaves {@link #pending} after that. So whoever looks here first and into the index second does not miss it.
 *
 * <p>A put completes at once while at most so many bytes wait, and later, when what waits has been written down to that,
 * if more do: then whoever puts is slowed to the disk's pace, without a thread.
 */
final class Appends {

    private static final Logger LOG = LoggerFactory.getLogger(Appends.class);

    /** A thread that is woken for each value of a first epoch costs it a hundredth; for so many bytes at once, nothing. */
    private static final long WORTH_WAKING = 1 << 20;

    /** Other processes may wait for a value to be there. */
    private static final long LATEST_MILLIS = 5;

    private final LogWriter writer;
    private final DiskIndex index;
    private final SharedCounters counters;
    private final AtomicLong seen;
    private final long mostWaiting;
    private final Scheduler thread = Schedulers.newSingle(Appends::thread);

    private final ConcurrentMap<SampleKey, PendingAppend> pending = new ConcurrentHashMap<>();
    private final AtomicInteger pendingCount = new AtomicInteger();
    private final Queue<PendingAppend> queue = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<Boolean>> slowed = new ConcurrentLinkedQueue<>();
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicInteger toDo = new AtomicInteger();
    private final AtomicBoolean due = new AtomicBoolean();
    private final AtomicLong lost = new AtomicLong();
    private final AccessFaults faults = new AccessFaults();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean stopped;

    Appends(
            LogWriter writer,
            DiskIndex index,
            SharedCounters counters,
            AtomicLong seen,
            long mostWaiting,
            boolean never) {
        this.writer = writer;
        this.index = index;
        this.counters = counters;
        this.seen = seen;
        this.mostWaiting = mostWaiting;
        this.stopped = never;
        if (!never) {
            thread.schedule(Appends::prepare);
        }
    }

    private static void prepare() {
        try {
            ChronicleLog.prepare();
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("what a log needs could not be prepared; the first one will say so if it matters", e);
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "penstock-disk");
        thread.setDaemon(true);
        return thread;
    }

    @Nullable ByteBuffer find(SampleKey key) {
        PendingAppend found = pendingCount.get() == 0 ? null : pending.get(key);
        return found == null ? null : found.view();
    }

    boolean hasRoomFor(int length) {
        return !stopped && writer.hasRoomFor(Entry.mostBytes(length), waiting.get());
    }

    /** Whether the value is held, once it may be known; empty if it was refused. */
    @Nullable Mono<Boolean> put(SampleKey key, Encoded value, Origin origin) {
        PendingAppend entry = PendingAppend.value(key, value, origin);
        if (pending.putIfAbsent(key, entry) != null) {
            return Mono.just(true);
        }
        pendingCount.incrementAndGet();
        if (index.contains(key)) { // published since it was looked for
            leave(entry);
            entry.done(); // a lease may wait for it by now
            return Mono.just(true);
        }
        long now = waiting.addAndGet(entry.bytes());
        queue.add(entry);
        if (stopped) { // or it would wait for a thread that is gone
            drain();
            return null;
        }
        if (now > mostWaiting) {
            return slowed();
        }
        if (now < WORTH_WAKING && toDo.get() == 0) {
            workSoon();
        } else {
            work();
        }
        return Mono.just(true);
    }

    private Mono<Boolean> slowed() {
        CompletableFuture<Boolean> turn = new CompletableFuture<>();
        slowed.add(turn);
        work();
        return Mono.fromFuture(turn).publishOn(Schedulers.parallel());
    }

    /** Appends that a key is forgotten, behind whatever is under way for it. */
    void remove(SampleKey key) {
        if (stopped) {
            index.forget(key);
            return;
        }
        PendingAppend entry = pending.get(key);
        if (entry != null) {
            entry.cancel();
            leave(entry);
        }
        if (index.forget(key) || entry != null) {
            PendingAppend tombstone = PendingAppend.tombstone(key);
            waiting.addAndGet(tombstone.bytes());
            queue.add(tombstone);
            work();
        }
    }

    /** Runs once the value of a key, if one is under way, is there for others to find. */
    void afterAppending(SampleKey key, Runnable action) {
        PendingAppend entry = pending.get(key);
        if (entry == null) {
            action.run();
        } else {
            entry.afterwards(action);
        }
    }

    /** Completes when everything put before is appended or lost. */
    CompletableFuture<Boolean> flushed() {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        thread.schedule(() -> {
            drain();
            done.complete(true);
        });
        return done;
    }

    private void work() {
        if (toDo.getAndIncrement() == 0) {
            schedule(this::drain, 0);
        }
    }

    private void workSoon() {
        if (due.compareAndSet(false, true)) {
            schedule(
                    () -> {
                        due.set(false); // first: what is put from now on must be seen by another one
                        drain();
                    },
                    LATEST_MILLIS);
        }
    }

    /** Runs a task on the thread that writes, before the log is closed. */
    void run(Runnable task) {
        schedule(task, 0);
    }

    private void schedule(Runnable task, long millis) {
        try {
            thread.schedule(task, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed meanwhile", e);
        }
    }

    private void drain() {
        int seenWork;
        do {
            seenWork = toDo.get();
            for (PendingAppend entry = queue.poll(); entry != null; entry = queue.poll()) {
                append(entry);
                waiting.addAndGet(-entry.bytes());
                letGo();
            }
            letGo();
        } while (!toDo.compareAndSet(seenWork, 0));
    }

    private void letGo() {
        while (waiting.get() <= mostWaiting || stopped) {
            CompletableFuture<Boolean> next = slowed.poll();
            if (next == null) {
                return;
            }
            next.complete(true);
        }
    }

    private void append(PendingAppend entry) {
        try {
            if (!stopped && !entry.isCancelled()) {
                if (writer.append(entry)) {
                    count(counters, seen);
                } else {
                    lost.incrementAndGet();
                }
            }
            faults.raise();
        } catch (IOException | RuntimeException | Error e) {
            failures.incrementAndGet();
            stop(e);
        } finally {
            leave(entry);
            entry.done();
        }
    }

    /** An entry of this process is known to it, if all before it are. */
    static void count(SharedCounters counters, AtomicLong seen) {
        long before = counters.countAppended();
        seen.compareAndSet(before, before + 1);
    }

    /** Does something every now and then on the thread that appends. */
    void each(long millis, Runnable work) {
        try {
            thread.schedulePeriodically(work, millis, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed meanwhile", e);
        }
    }

    private void stop(Throwable reason) {
        if (!stopped) {
            stopped = true;
            LOG.warn(
                    "the disk cache keeps what it has and takes nothing more, the run goes on: {}",
                    reason instanceof IOException ? reason.getMessage() : reason.toString());
        }
    }

    private void leave(PendingAppend entry) {
        if (!entry.tombstone && pending.remove(entry.key, entry)) {
            pendingCount.decrementAndGet();
        }
    }

    /** A copy of the keys that wait, for the caller to keep. */
    Set<SampleKey> keys() {
        return new HashSet<>(pending.keySet());
    }

    int pendingCount() {
        return pendingCount.get();
    }

    /** Puts that were accepted and had no room in the end. */
    long lost() {
        return lost.get();
    }

    long failures() {
        return failures.get();
    }

    /** Appends what waits, then closes the log; completes when that is done. */
    CompletableFuture<Boolean> close() {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        thread.schedule(() -> {
            try {
                drain();
                stopped = true;
                drain();
                writer.close();
            } catch (IOException | RuntimeException | InternalError e) {
                LOG.warn("closing the disk cache's log failed, which costs nothing but room: {}", e.toString());
            } finally {
                done.complete(true);
            }
        });
        return done.whenComplete((closed, e) -> thread.dispose());
    }
}
