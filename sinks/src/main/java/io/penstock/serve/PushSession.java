package io.penstock.serve;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * A consumer whose batches are announced on a {@link BatchRing} as they come, as many as it can have, and that gives them back there.
 * It asks over HTTP only where it found nothing announced for a while, and for the end.
 *
 * <p>Whoever brings a batch looks at what came back and asks for the next, so that with a consumer that keeps up no thread is ever
 * woken. While all batches are out, a timer looks: again and again after an eighth of the time that it has waited, so that what a slow
 * consumer gives back is noticed long before it has used what it still has, and an idle one costs next to nothing.
 *
 * <p>{@code work} serialises {@link #turn}, as the hub's does.
 */
final class PushSession implements SharedSession {

    private static final long FIRST_LOOK_NANOS = 200_000;
    private static final long LATEST_LOOK_NANOS = 20_000_000;
    private static final int SHARE = 8;

    private final Cursor cursor;
    private final BatchManifest announcements;
    private final LentBatches lent = new LentBatches();
    private final BatchRing board;
    private final EventLoop clock;
    private final AtomicInteger work = new AtomicInteger();
    private final Object lock = new Object();

    private volatile boolean asking; // the cursor owes an answer
    private volatile boolean watching;
    private volatile boolean over;
    private @Nullable MonoSink<String> waiting;
    private long awaited; // the batch that it waits for
    private @Nullable Throwable failure;

    private PushSession(Cursor cursor, Function<Delivery, String> token, BatchRing board, EventLoop clock) {
        this.cursor = cursor;
        this.announcements = new BatchManifest(token);
        this.board = board;
        this.clock = clock;
    }

    /** Begins to announce; what it looks at from time to time it looks at on the clock's thread. */
    static PushSession begin(Cursor cursor, Function<Delivery, String> token, BatchRing board, EventLoop clock) {
        PushSession session = new PushSession(cursor, token, board, clock);
        session.run();
        return session;
    }

    @Override
    public int rank() {
        return cursor.rank();
    }

    @Override
    public Mono<String> next(Request asked) {
        lent.giveBack(asked.done());
        run();
        return Mono.create(sink -> answer(asked.next(), sink));
    }

    private void answer(long number, MonoSink<String> sink) {
        String message = null;
        Throwable cause = null;
        boolean waits = false;
        synchronized (lock) {
            if (number != lent.given()) {
                message = lent.message(number);
                cause = message != null ? null : wrong(number);
            } else if (over) {
                cause = failure;
            } else {
                cause = waiting != null || lent.given() - lent.returned() >= Hub.DEPTH ? LentBatches.tooMany() : null;
                waits = cause == null;
                if (waits) {
                    waiting = sink;
                    awaited = number;
                }
            }
        }
        if (waits) {
            sink.onCancel(() -> forget(sink));
        } else if (cause != null) {
            sink.error(cause);
        } else {
            sink.success(message);
        }
    }

    private Request.Refused wrong(long number) {
        return new Request.Refused(
                HttpResponseStatus.BAD_REQUEST,
                "next must be a batch that is out or the next to come, in [%d, %d], was %d"
                        .formatted(lent.returned(), lent.given(), number));
    }

    private void forget(MonoSink<String> sink) {
        synchronized (lock) {
            waiting = waiting == sink ? null : waiting;
        }
    }

    private void run() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            turn();
            seen = work.addAndGet(-seen);
        } while (seen != 0);
    }

    private void turn() {
        if (asking || over) {
            return;
        }
        if (lent.giveBack(Math.min(board.done(), lent.given())) < Hub.DEPTH) {
            asking = true;
            cursor.next().switchIfEmpty(Mono.fromRunnable(() -> end(null))).subscribe(this::post, this::end);
        } else if (!watching) {
            watching = true;
            lookIn(FIRST_LOOK_NANOS);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what it finds it acts on; it cannot fail
    private void lookIn(long nanos) {
        try {
            clock.schedule(() -> look(nanos), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            watching = false; // the server is closing, and its connections with it
        }
    }

    private void look(long waited) {
        if (over || board.done() > lent.returned()) {
            watching = false;
            run();
        } else {
            lookIn(Math.min(waited + waited / SHARE, LATEST_LOOK_NANOS));
        }
    }

    private void post(Delivery delivery) {
        long number = lent.given();
        String message;
        try {
            String more = number == 0 ? ",\"board\":" + board.about() : "";
            message = announcements.of(delivery, cursor.rank(), number, more);
        } catch (RuntimeException e) {
            delivery.release();
            end(e);
            return;
        }
        if (!lent.lend(delivery, message)) {
            delivery.release();
            return;
        }
        board.announce(number, message);
        MonoSink<String> sink = stopWaiting(number);
        if (sink != null) {
            sink.success(message);
        }
        asking = false;
        run();
    }

    private void end(@Nullable Throwable cause) {
        MonoSink<String> sink;
        synchronized (lock) {
            failure = cause;
            over = true;
            sink = waiting;
            waiting = null;
        }
        if (sink == null) {
            return;
        }
        if (cause == null) {
            sink.success();
        } else {
            sink.error(cause);
        }
    }

    /** Who waits for this batch: by now it can be announced, and the consumer ask for the one after it. */
    private @Nullable MonoSink<String> stopWaiting(long number) {
        synchronized (lock) {
            MonoSink<String> sink = waiting;
            if (sink == null || awaited != number) {
                return null;
            }
            waiting = null;
            return sink;
        }
    }

    @Override
    public void close() {
        over = true;
        board.close(); // before its batches are anyone else's
        lent.close();
        cursor.close();
    }
}
