package io.penstock.serve;

import io.penstock.batch.Batch;
import io.penstock.internal.DrainLoop;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Told;
import io.penstock.order.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * One run and the consumers that take its batches. Each consumer has its own pace; the run goes at that of the slowest.
 *
 * <p>Reactor's {@code publish} does not tell when all consumers have done with a batch, which is when its memory is
 * used again. Nor does it let a consumer join at a batch that others still have. Here each cursor asks for one batch at
 * a time. A batch stays until every cursor has taken it and given it back. Then it is closed, and the run is asked for
 * another.
 *
 * <p>State changes under a lock. Signals are sent after the lock was released, by one thread at a time: see {@link
 * DrainLoop}.
 */
final class Hub {

    /** How many batches consumers can have at once. */
    static final int DEPTH = BatchFeed.SLOTS - 1;

    private final int rank;
    private final Flux<Batch> run;
    private final RunMemory memory;
    private final Runnable emptied;
    private final RunSubscriber upstream = new RunSubscriber();
    private final DrainLoop loop = new DrainLoop();
    private final Object lock = new Object();

    private final Deque<Retained> window = new ArrayDeque<>();
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
     * A hub without consumers.
     * @param from    where the run begins
     * @param memory  what its batches are stacked in
     * @param awaited how many consumers must join before the run begins
     * @param emptied called once, when the last consumer has left
     */
    Hub(int rank, Position from, Flux<Batch> run, RunMemory memory, int awaited, Runnable emptied) {
        this.rank = rank;
        this.head = from;
        this.run = run.subscribeOn(GuardedScheduler.ELASTIC, false);
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

    /** A cursor at a position, if the batch that begins there is retained or the next to come; else null. */
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
        for (Retained batch : window) {
            if (batch.start.equals(at)) {
                return number;
            }
            number++;
        }
        return at.equals(head) && !done ? number : -1;
    }

    State state() {
        synchronized (lock) {
            return new State(rank, head, cursors.size());
        }
    }

    /**
     * The state of a hub, for {@code /status}.
     * @param head where the run goes on after the batches it has delivered
     */
    record State(int rank, Position head, int consumers) {}

    void await(Cursor cursor, Told<Delivery> told) {
        boolean gone;
        synchronized (lock) {
            gone = !cursors.contains(cursor);
            if (!gone) {
                cursor.waitWith(told);
            }
        }
        if (gone) {
            told.tell(null, left());
            return;
        }
        told.onCancel(() -> forget(cursor, told));
        drain();
    }

    /** The consumer may cancel while it is given a batch. */
    private void forget(Cursor cursor, Told<Delivery> told) {
        Delivery lost;
        synchronized (lock) {
            if (cursor.waiting() == told) {
                cursor.stopWaiting();
            }
            lost = cursor.given();
        }
        if (lost != null) {
            lost.release();
        }
    }

    void released(Retained batch) {
        synchronized (lock) {
            batch.deliveries--;
        }
        drain();
    }

    void leave(Cursor cursor) {
        Told<Delivery> waiting;
        boolean last;
        synchronized (lock) {
            if (!cursors.remove(cursor)) {
                return;
            }
            waiting = cursor.stopWaiting();
            if (awaited > 0) {
                awaited++; // a consumer that leaves before the run begins does not count
            }
            last = cursors.isEmpty();
            closed |= last;
        }
        if (waiting != null) {
            waiting.tell(null, left());
        }
        if (last) {
            upstream.cancel();
            memory.close();
            emptied.run();
        }
        drain();
    }

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
        if (!loop.enter()) {
            return;
        }
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
        } while (!loop.leave());
    }

    private void deliver() {
        for (Cursor cursor : cursors) {
            Told<Delivery> told = cursor.waiting();
            long place = cursor.number() - taken;
            if (told == null || place == window.size() && !done) {
                continue;
            }
            cursor.stopWaiting();
            Throwable cause = failure;
            if (place < window.size()) {
                Retained batch = window.stream().skip(place).findFirst().orElseThrow();
                batch.deliveries++;
                Delivery delivery = new Delivery(this, batch);
                cursor.give(delivery);
                signals.add(() -> told.tell(delivery, null));
            } else if (cause != null) {
                signals.add(() -> told.tell(null, cause));
            } else {
                signals.add(() -> told.tell(null, null));
            }
        }
    }

    /** Closes the oldest batches, as far as every consumer has done with them. */
    private void dismiss() {
        while (!window.isEmpty() && window.element().deliveries == 0 && isPassed(taken)) {
            signals.add(window.remove().batch::close);
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

    /** A batch that some consumer still needs. */
    static final class Retained {
        final Batch batch;
        private final Position start; // of a run that begins with this batch
        private int deliveries;

        Retained(Batch batch, Position start) {
            this.batch = batch;
            this.start = start;
        }
    }

    private final class RunSubscriber extends BaseSubscriber<Batch> {

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            drain();
        }

        /** Asks for one more batch, or leaves that to {@link #hookOnSubscribe} if there is no subscription yet. */
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
                    window.add(new Retained(batch, head));
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
