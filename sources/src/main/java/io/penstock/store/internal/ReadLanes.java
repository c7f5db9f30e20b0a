package io.penstock.store.internal;

import io.penstock.fault.StoreException;
import io.penstock.internal.Thrown;
import io.penstock.internal.ToldSubscriber;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Runs blocking reads on threads that may block, without a hand-over a read.
 *
 * <p>A page-cached read of 1 KiB takes a microsecond, handing it to another thread several, and waking that thread
 * fifty. So reads wait in one queue, and a lane (a task on the scheduler) takes them until none is left. An ordered
 * stream asks for its next samples while one is delivered, on the lane's own thread, so a lane that is kept busy is
 * never woken again.
 *
 * <p>A lane that is delivering runs the subscriber's code and may not come back for long, so it does not count as
 * {@code ready}. The invariant is: where reads wait, at least one lane is ready, that is scheduled, reading or about to
 * take the next. So no read waits for a subscriber that waits for it, as long as the scheduler has a thread for one
 * more lane, which {@link ReadThreads} always has. Slow reads get more lanes, one for each {@value #NANOS_A_LANE} ns
 * that a read takes on average: one for 1 KiB from the page cache, two to four for 150 kB, up to {@value #MAX_LANES}
 * for a cold or remote disk, which needs a long queue.
 *
 * <p>Lanes are never interrupted from here: a cancelled read is left out if it has not begun, and its result dropped if
 * it has.
 */
public final class ReadLanes implements Runnable {

    static final long NANOS_A_LANE = 20_000;
    static final int MAX_LANES = 32;
    private static final int SMOOTHING = 8;

    private final Scheduler scheduler;
    private final LongSupplier nanoTime;
    private final Queue<Read<?>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ready = new AtomicInteger();
    private volatile long meanNanos; // racy by intent: a lost measurement is only a measurement

    public ReadLanes(Scheduler scheduler) {
        this(scheduler, System::nanoTime);
    }

    /** The same by another clock, which decides how many lanes there are. */
    ReadLanes(Scheduler scheduler, LongSupplier nanoTime) {
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
    }

    /** A {@code Mono} that begins the read when it is first requested; empty where the read gives {@code null}. */
    public <T> Mono<T> read(Supplier<@Nullable T> bytes) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                actual.onSubscribe(new Read<>(bytes, actual, ReadLanes.this));
            }
        };
    }

    private void add(Read<?> read) {
        if (read.state.compareAndSet(Read.IDLE, Read.WAITING)) {
            waiting.add(read);
            launch();
        }
    }

    private int target() {
        return (int) Math.min(MAX_LANES, 1 + meanNanos / NANOS_A_LANE);
    }

    /** Starts one more lane if reads wait and there are fewer lanes than the target. */
    private void launch() {
        int now = ready.get();
        while (now < target() && !waiting.isEmpty()) {
            if (ready.compareAndSet(now, now + 1)) {
                try {
                    scheduler.schedule(this);
                } catch (RejectedExecutionException e) {
                    ready.decrementAndGet();
                    refuse(e);
                }
                return;
            }
            now = ready.get();
        }
    }

    private void refuse(RejectedExecutionException cause) {
        for (Read<?> read = waiting.poll(); read != null; read = waiting.poll()) {
            read.tell(
                    null,
                    new StoreException("cannot read: the scheduler for blocking reads is shut down or full", cause));
        }
    }

    @Override
    public void run() {
        do {
            for (Read<?> read = waiting.poll(); read != null; read = waiting.poll()) {
                if (read.state.get() == Read.WAITING && !deliver(read)) {
                    return;
                }
            }
            ready.decrementAndGet();
            // a read that came between the last look and the line above found this lane ready
        } while (!waiting.isEmpty() && join(target()));
    }

    /**
     * Reads and delivers; returns whether this lane goes on, since others may have replaced it.
     */
    private <T> boolean deliver(Read<T> read) {
        T result = null;
        Throwable failure = null;
        long started = nanoTime.getAsLong();
        try {
            result = read.bytes.get();
        } catch (Throwable e) { // out of memory for one huge file, as an example
            failure = Thrown.signal(e);
        }
        long before = meanNanos;
        meanNanos = before + (nanoTime.getAsLong() - started - before) / SMOOTHING;

        ready.decrementAndGet();
        launch();
        read.tell(result, failure);
        // one more than the target: the lane launched above may not have started yet
        return join(target() + 1);
    }

    private boolean join(int max) {
        int now = ready.get();
        while (now < max) {
            if (ready.compareAndSet(now, now + 1)) {
                return true;
            }
            now = ready.get();
        }
        return false;
    }

    /** One read and its subscriber. */
    private static final class Read<T> extends ToldSubscriber<T> {
        static final int IDLE = 0;
        static final int WAITING = 1;
        static final int DROPPED = 2;

        final Supplier<@Nullable T> bytes;
        final AtomicInteger state = new AtomicInteger(IDLE);
        private final ReadLanes lanes;

        Read(Supplier<@Nullable T> bytes, CoreSubscriber<? super T> actual, ReadLanes lanes) {
            super(actual);
            this.bytes = bytes;
            this.lanes = lanes;
        }

        @Override
        public void request(long n) {
            super.request(n);
            lanes.add(this);
        }

        @Override
        public void cancel() {
            super.cancel();
            state.set(DROPPED);
        }
    }
}
