package io.penstock.cache.chronicle;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.cache.chronicle.internal.ChronicleLog;
import io.penstock.cache.chronicle.internal.DiskIndex;
import io.penstock.cache.chronicle.internal.LogEntry;
import io.penstock.cache.chronicle.internal.LogWriter;
import io.penstock.cache.chronicle.internal.PendingAppend;
import io.penstock.cache.chronicle.internal.SharedCounters;
import io.penstock.cache.chronicle.internal.Watch;
import io.penstock.cache.internal.ByteBudget;
import io.penstock.cache.internal.WriteBehind;
import io.penstock.internal.AccessFaults;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Notice;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Writes what is put to the log: a queue, and one thread that empties it.
 *
 * <p>A put completes at once while at most {@code maxWaiting} bytes wait. Later ones complete when what waits has been
 * written down to that. So a caller that puts is slowed to the pace of the disk, without a thread that blocks. Room is
 * claimed before a put is accepted, so a faster tier takes what this one refuses.
 *
 * <p>What waits is held, so it counts. Where a tier evicts, no room is claimed, and a part of the budget is for what
 * waits instead. A put beyond that completes once it is written down, and is found from then on.
 */
final class Appends {

    private static final Logger LOG = LoggerFactory.getLogger(Appends.class);

    /** To wake the thread for each value costs a first epoch 1 %; for a MiB at once it costs nothing. */
    private static final long WORTH_WAKING = 1 << 20;

    private static final long LATEST_MILLIS = 5; // other processes may wait for a value

    /** What is written by one call, about. */
    private static final long GROUP_BYTES = 256 << 10;

    private static final long REFUSED = -1;

    /** A value is held by now. */
    static final Mono<Boolean> AT_ONCE = Mono.just(true);

    /** Of the budget of a tier that evicts, what may wait. */
    private static final int WAITING_PART = 32;

    private final LogWriter writer;
    private final DiskIndex index;
    private final SharedCounters counters;
    private final Watch watch;
    private final long maxWaiting;
    private final boolean evicts;
    private volatile ByteBudget waitingRoom = new ByteBudget(0);
    private final Scheduler thread = GuardedScheduler.ofThread("penstock-disk");
    private final WriteBehind<PendingAppend> queue = new WriteBehind<>(work -> schedule(work, 0), this::appendAll);
    private final BiConsumer<PendingAppend, Runnable> found = queue::move;
    private final Queue<CompletableFuture<Boolean>> slowed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean due = new AtomicBoolean();
    private final AtomicLong lost = new AtomicLong();
    private final AccessFaults faults = new AccessFaults();
    private final AtomicLong failures = new AtomicLong();
    private final Object claiming = new Object();
    private volatile boolean stopped;

    /** Of the parts it needs no others than are made before it. */
    Appends(Opener.Parts parts, ChronicleOptions options) {
        this.writer = parts.writer;
        this.index = parts.index;
        this.counters = parts.counters;
        this.watch = parts.watch;
        this.maxWaiting = options.pendingBytes;
        this.evicts = options.evicts;
        this.stopped = parts.locks == null; // it only looks
        if (!stopped) {
            thread.schedule(Appends::prepare);
            each(Watch.PERIOD_MILLIS, writer::dropCut);
        }
    }

    /** Before anything is put. */
    void limit(long budget, long segmentBytes) {
        long forWaiting = evicts ? Math.min(maxWaiting, budget / WAITING_PART) : 0;
        waitingRoom = new ByteBudget(forWaiting);
        writer.limit(budget - forWaiting, segmentBytes);
    }

    /** For files and for what waits. */
    long budget() {
        return writer.budget() + waitingRoom.total();
    }

    /** What the files of all processes and what waits here take. */
    long bytes() {
        return counters.used() + waitingRoom.used();
    }

    private static void prepare() {
        try {
            ChronicleLog.prepare();
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("what a log needs could not be prepared; the first one will say so if it matters", e);
        }
    }

    @Nullable ByteBuffer find(SampleKey key) {
        return queue.find(key);
    }

    boolean hasRoomFor(int length) {
        return !stopped && writer.hasRoomFor(LogEntry.mostBytes(length));
    }

    /** Whether the value is held, once it may be known; {@code null} if it was refused. */
    @Nullable Mono<Boolean> put(SampleKey key, Encoded value, Provenance provenance) {
        PendingAppend entry = PendingAppend.value(key, value, provenance);
        boolean found = !evicts || takeRoom(entry);
        if (found && !queue.enter(entry)) {
            giveBackRoom(entry);
            return AT_ONCE;
        }
        if (found && index.contains(key)) { // published since the caller looked for it
            settle(entry, true); // a lease may wait for it by now
            return AT_ONCE;
        }
        long waiting = enqueue(entry);
        if (waiting == REFUSED) {
            settle(entry, false);
            return null;
        }
        if (stopped) { // the thread may be gone
            appendAll();
            return null;
        }
        if (!found) {
            queue.work();
            return Mono.fromCompletionStage(entry.held()).publishOn(GuardedScheduler.PARALLEL);
        }
        if (!evicts && waiting > maxWaiting) {
            return slowed();
        }
        if (waiting < WORTH_WAKING) {
            workSoon();
        } else {
            queue.work();
        }
        return AT_ONCE;
    }

    private boolean takeRoom(PendingAppend entry) {
        boolean taken = waitingRoom.take(entry.bytes());
        entry.counted = taken ? entry.bytes() : 0;
        return taken;
    }

    private void giveBackRoom(PendingAppend entry) {
        waitingRoom.giveBack(entry.counted);
    }

    private void settle(PendingAppend entry, boolean held) {
        queue.leave(entry);
        giveBackRoom(entry);
        entry.complete(held);
    }

    /** The bytes that wait now, or that there is no room. */
    private long enqueue(PendingAppend entry) {
        synchronized (claiming) { // the writer begins segments in the order of the claims
            return writer.claim(entry) ? queue.enqueue(entry) : REFUSED;
        }
    }

    private Mono<Boolean> slowed() {
        CompletableFuture<Boolean> turn = new CompletableFuture<>();
        slowed.add(turn);
        queue.work();
        return Mono.fromFuture(turn).publishOn(GuardedScheduler.PARALLEL);
    }

    /** Appends that a key is forgotten, after its value if that waits. */
    void remove(SampleKey key) {
        if (stopped) {
            index.forget(key);
            return;
        }
        PendingAppend entry = queue.write(key);
        if (entry != null) {
            entry.cancel();
            queue.leave(entry);
        }
        if (index.forget(key) || entry != null) {
            if (enqueue(PendingAppend.tombstone(key)) == REFUSED) {
                lost.incrementAndGet();
            }
            queue.work();
        }
    }

    /** Runs once other processes find the value of a key, if one is under way. */
    void afterAppending(SampleKey key, Runnable action) {
        queue.after(key, action);
    }

    /** Completes when everything put before is appended or lost. */
    CompletableFuture<Boolean> flushed() {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        thread.schedule(() -> {
            appendAll();
            done.complete(true);
        });
        return done;
    }

    private void workSoon() {
        if (due.compareAndSet(false, true)) {
            schedule(
                    () -> {
                        due.set(false); // first, so that a put after the pass schedules another one
                        appendAll();
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

    private void appendAll() {
        for (List<PendingAppend> group = nextGroup(); !group.isEmpty(); group = nextGroup()) {
            append(group);
            letGo();
        }
        letGo();
    }

    private List<PendingAppend> nextGroup() {
        List<PendingAppend> group = new ArrayList<>();
        long bytes = 0;
        for (PendingAppend entry = queue.poll(); entry != null; entry = bytes < GROUP_BYTES ? queue.poll() : null) {
            group.add(entry);
            bytes += entry.bytes();
        }
        return group;
    }

    private void letGo() {
        while (queue.bytes() <= maxWaiting || stopped) {
            CompletableFuture<Boolean> next = slowed.poll();
            if (next == null) {
                return;
            }
            next.complete(true);
        }
    }

    private void append(List<PendingAppend> group) {
        Deque<PendingAppend> rest = new ArrayDeque<>(group);
        boolean ended = false;
        while (!ended) {
            try {
                for (PendingAppend entry = rest.peek(); entry != null; entry = rest.peek()) {
                    append(entry);
                    rest.remove();
                }
                ended = true; // what cannot be flushed now is loaded again
                writer.flush(found);
                faults.raise();
            } catch (IOException e) {
                watch.loseShortened(); // at once, since nothing can be read in a file that was cut
                List<PendingAppend> again = writer.leaveCut();
                if (again == null) {
                    rest.poll();
                    stop(e);
                } else {
                    rest.removeAll(again); // a tombstone is flushed while it is appended
                    again.addAll(rest);
                    rest = new ArrayDeque<>(again);
                    ended = false;
                }
            } catch (InternalError e) { // of mapped memory that was read: the log is as it was
                rest.poll();
                failures.incrementAndGet();
                watch.loseShortened();
            } catch (RuntimeException | Error e) {
                rest.poll();
                stop(e);
            }
        }
        counters.countAppended(
                (int) group.stream().filter(entry -> entry.appended).count());
        for (PendingAppend entry : group) {
            queue.finish(entry, entry.appended);
            giveBackRoom(entry);
        }
    }

    private void append(PendingAppend entry) throws IOException {
        if (stopped || entry.isCancelled()) {
            writer.release(entry);
        } else if (!writer.append(entry, found)) {
            lost.incrementAndGet();
        }
    }

    /** Runs a task periodically on the thread that appends. */
    void each(long millis, Runnable work) {
        try {
            thread.schedulePeriodically(work, millis, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed meanwhile", e);
        }
    }

    private void stop(Throwable reason) {
        failures.incrementAndGet();
        if (!stopped) {
            stopped = true;
            writer.stop();
            Notice.warn(
                    LOG,
                    "the disk cache keeps what it has and takes nothing more, the run goes on: {}",
                    reason instanceof IOException ? reason.getMessage() : reason.toString());
        }
    }

    /** The keys that wait, copied. */
    Set<SampleKey> keys() {
        return queue.keys();
    }

    /** How many values are held: those that wait, and those of the index. */
    long samples() {
        return queue.countWith(index::samples);
    }

    /** How many puts were accepted and had no room in the end. */
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
                appendAll();
                stopped = true;
                appendAll();
                writer.close();
            } catch (IOException | RuntimeException | InternalError e) {
                Notice.warn(LOG, "closing the disk cache's log failed, which costs nothing but room: {}", e.toString());
            } finally {
                done.complete(true);
            }
        });
        return done.whenComplete((closed, e) -> thread.dispose());
    }
}
