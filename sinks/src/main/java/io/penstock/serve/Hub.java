package io.penstock.serve;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * One run and everyone who takes its batches, each at a pace of its own; the run goes at that of the slowest.
 *
 * <p>Reactor's {@code publish} does as much, but does not say when all have done with a batch, which here is when its memory is used
 * again, nor let someone join at a batch that others still hold. Consumers pull: a cursor asks for one batch, and for the next when it
 * has done what it does with one. A batch stays until every cursor has taken it and given it back; then it is closed and another
 * is asked for.
 *
 * <p>State changes under a lock; signals go out after it, from one thread at a time: whoever finds {@code work} at zero does the
 * work of all who come meanwhile.
 */
final class Hub {

    /** Batches that consumers can have at once. */
    static final int DEPTH = BatchFeed.SLOTS - 1;

    private final int rank;
    private final Flux<Batch> run;
    private final RunMemory memory;
    private final Runnable emptied;
    private final Lines upstream = new Lines();
    private final AtomicInteger work = new AtomicInteger();
    private final Object lock = new Object();

    private final Deque<RetainedBatch> window = new ArrayDeque<>();
    private final Set<Cursor> cursors = new LinkedHashSet<>();
    private final List<Runnable> signals = new ArrayList<>();
    private Position head;
    private long taken; // batches that have left the window
    private int awaited;
    private boolean asked;
    private boolean done;
    private boolean closed;
    private @Nullable Throwable failure;

    /**
     * A hub that nobody has joined.
     * @param from    where the run begins
     * @param memory  where its batches lie
     * @param awaited consumers that must have come before it does
     * @param emptied called once, when the last has left
     */
    Hub(int rank, Position from, Flux<Batch> run, RunMemory memory, int awaited, Runnable emptied) {
        this.rank = rank;
        this.head = from;
        this.run = run.subscribeOn(Schedulers.boundedElastic(), false);
        this.memory = memory;
        this.awaited = awaited;
        this.emptied = emptied;
    }

    int rank() {
        return rank;
    }

    RunMemory memory() {
        return memory;
    }

    /** A cursor at a position, if the batch that begins there is held or the next to come; else null. */
    @Nullable Cursor join(Position at) {
        Cursor cursor = null;
        boolean begins = false;
        synchronized (lock) {
            long number = closed ? -1 : numberAt(at);
            if (number >= 0) {
                cursor = new Cursor(this, number);
                cursors.add(cursor);
                begins = awaited > 0 && --awaited == 0;
            }
        }
        if (begins) {
            run.subscribe(upstream);
        }
        return cursor;
    }

    private long numberAt(Position at) {
        long number = taken;
        for (RetainedBatch held : window) {
            if (held.start().equals(at)) {
                return number;
            }
            number++;
        }
        return at.equals(head) && !done ? number : -1;
    }

    /** Where the run has come to, and how many take part. */
    State state() {
        synchronized (lock) {
            return new State(rank, head, cursors.size());
        }
    }

    /**
     * What is told of a hub.
     * @param head where the run goes on behind the batches it has brought
     */
    record State(int rank, Position head, int consumers) {}

    void await(Cursor cursor, MonoSink<Delivery> sink) {
        boolean gone;
        synchronized (lock) {
            gone = !cursors.contains(cursor);
            if (!gone) {
                cursor.waitWith(sink);
            }
        }
        if (gone) {
            sink.error(left());
            return;
        }
        sink.onCancel(() -> forget(cursor, sink));
        drain();
    }

    private void forget(Cursor cursor, MonoSink<Delivery> sink) {
        synchronized (lock) {
            if (cursor.waiting() == sink) {
                cursor.stopWaiting();
            }
        }
    }

    void released(RetainedBatch held) {
        synchronized (lock) {
            held.released();
        }
        drain();
    }

    void leave(Cursor cursor) {
        MonoSink<Delivery> waiting;
        boolean last;
        synchronized (lock) {
            if (!cursors.remove(cursor)) {
                return;
            }
            waiting = cursor.stopWaiting();
            if (awaited > 0) {
                awaited++; // who leaves before the run begins will not have been there
            }
            last = cursors.isEmpty();
            closed |= last;
        }
        if (waiting != null) {
            waiting.error(left());
        }
        if (last) {
            upstream.cancel();
            memory.close();
            emptied.run();
        }
        drain();
    }

    /** Sends everyone away. */
    void close() {
        List<Cursor> all;
        synchronized (lock) {
            all = List.copyOf(cursors);
        }
        all.forEach(this::leave);
    }

    private static CancellationException left() {
        return new CancellationException("the consumer has left");
    }

    private void drain() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            List<Runnable> now;
            synchronized (lock) {
                deliver();
                dismiss();
                ask();
                now = List.copyOf(signals);
                signals.clear();
            }
            now.forEach(Runnable::run);
            seen = work.addAndGet(-seen);
        } while (seen != 0);
    }

    private void deliver() {
        for (Cursor cursor : cursors) {
            MonoSink<Delivery> sink = cursor.waiting();
            long place = cursor.number() - taken;
            if (sink == null || place == window.size() && !done) {
                continue;
            }
            cursor.stopWaiting();
            Throwable cause = failure;
            if (place < window.size()) {
                RetainedBatch held = window.stream().skip(place).findFirst().orElseThrow();
                held.delivered();
                cursor.step();
                signals.add(() -> sink.success(new Delivery(this, held)));
            } else if (cause != null) {
                signals.add(() -> sink.error(cause));
            } else {
                signals.add(sink::success);
            }
        }
    }

    /** Closes the oldest batches that nobody needs any more. */
    private void dismiss() {
        while (!window.isEmpty() && !window.element().isInUse() && isPassed(taken)) {
            signals.add(window.remove().batch()::close);
            taken++;
        }
    }

    private boolean isPassed(long number) {
        for (Cursor cursor : cursors) {
            if (cursor.number() <= number) {
                return false;
            }
        }
        return true;
    }

    private void ask() {
        if (!asked && !done && !closed && awaited == 0 && window.size() < DEPTH) {
            asked = true;
            signals.add(upstream::more);
        }
    }

    /** The run's signals. */
    private final class Lines extends BaseSubscriber<Batch> {

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            drain();
        }

        /** Asks for one batch more, once there is somebody to ask. */
        void more() {
            if (upstream() != null) {
                request(1);
            } else {
                synchronized (lock) {
                    asked = false;
                }
            }
        }

        @Override
        protected void hookOnNext(Batch batch) {
            boolean late;
            synchronized (lock) {
                late = closed;
                asked = false;
                if (!late) {
                    window.add(new RetainedBatch(batch, head));
                    head = batch.next();
                }
            }
            if (late) {
                batch.close();
            }
            drain();
        }

        @Override
        protected void hookOnComplete() {
            end(null);
        }

        @Override
        protected void hookOnError(Throwable cause) {
            end(cause);
        }

        private void end(@Nullable Throwable cause) {
            synchronized (lock) {
                done = true;
                failure = cause;
            }
            drain();
        }
    }
}
