package io.penstock.serve;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AttributeKey;
import io.penstock.internal.DrainLoop;
import io.penstock.internal.Told;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One connection that asks {@code /shared}: the batches that its consumer has, until it gives them back or is gone.
 *
 * <p>Batches are taken from the run as they come, as many as the consumer may have. A request waits for one of them and
 * gets its message. A consumer that wants a {@link BatchRing} finds the messages there too, gives batches back there,
 * and asks over HTTP only when it found none for a while, and for the end. Requests of a connection come one after the
 * other.
 *
 * <p>The thread that brings a batch also looks at what came back and asks for the next one. So no thread is woken for a
 * consumer that keeps up. While all batches are out, a timer looks at the ring, again after an eighth of the time that
 * it has waited. So it soon notices what a slow consumer gives back, and an idle consumer costs little.
 */
final class SharedConsumer {

    private static final AttributeKey<SharedConsumer> KEY = AttributeKey.valueOf(SharedConsumer.class, "consumer");
    private static final long FIRST_LOOK_NANOS = 200_000;
    private static final long LATEST_LOOK_NANOS = 20_000_000;
    private static final int SHARE = 8;

    private final Cursor cursor;
    private final BatchManifest manifest;
    private final LentBatches lent = new LentBatches();
    private final @Nullable BatchRing ring;
    private final EventLoop clock;
    private final DrainLoop loop = new DrainLoop();
    private final Object lock = new Object();

    private volatile boolean asking; // the cursor has not answered yet
    private volatile boolean watching;
    private volatile long following; // the batch after the one that the latest request got
    private volatile boolean over;
    private @Nullable Told<String> waiting;
    private long awaited; // the batch that the request waits for
    private @Nullable Throwable failure;

    private SharedConsumer(Cursor cursor, Function<Delivery, String> token, @Nullable BatchRing ring, EventLoop clock) {
        this.cursor = cursor;
        this.manifest = new BatchManifest(token);
        this.ring = ring;
        this.clock = clock;
    }

    /** The consumer at the other end of a connection, which its first request begins. */
    static SharedConsumer of(Channel channel, Supplier<SharedConsumer> begin) {
        SharedConsumer known = channel.attr(KEY).get();
        if (known != null) {
            return known;
        }
        SharedConsumer consumer = begin.get();
        channel.attr(KEY).set(consumer);
        channel.closeFuture().addListener(closed -> consumer.close());
        return consumer;
    }

    /** Begins to take batches; {@code clock} is the thread that looks at the ring from time to time. */
    static SharedConsumer begin(
            Cursor cursor, Function<Delivery, String> token, @Nullable BatchRing ring, EventLoop clock) {
        SharedConsumer consumer = new SharedConsumer(cursor, token, ring, clock);
        consumer.run();
        return consumer;
    }

    int rank() {
        return cursor.rank();
    }

    /**
     * Takes back what the consumer has done with and gives the message of the next batch; empty after the last.
     * @throws Request.Refused if more were done than given, or the consumer has all that there can be
     */
    Mono<String> next(Request asked) {
        long number = asked.next() == null ? following : asked.next();
        if (asked.done() > number) {
            throw LentBatches.neverGiven(number, asked.done());
        }
        lent.giveBack(asked.done());
        run();
        return Told.<String>mono(told -> answer(number, told)).doOnNext(message -> following = number + 1);
    }

    private void answer(long number, Told<String> told) {
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
                    waiting = told;
                    awaited = number;
                }
            }
        }
        if (waits) {
            told.onCancel(() -> forget(told));
        } else {
            told.tell(message, cause);
        }
    }

    private Request.Refused wrong(long number) {
        return new Request.Refused(
                HttpResponseStatus.BAD_REQUEST,
                "next must be a batch that is out or the next to come, in [%d, %d], was %d"
                        .formatted(lent.returned(), lent.given(), number));
    }

    private void forget(Told<String> told) {
        synchronized (lock) {
            waiting = waiting == told ? null : waiting;
        }
    }

    private void run() {
        if (loop.enter()) {
            do {
                takeNext();
            } while (!loop.leave());
        }
    }

    private void takeNext() {
        if (asking || over) {
            return;
        }
        if (lent.giveBack(Math.min(doneOnRing(), lent.given())) < Hub.DEPTH) {
            asking = true;
            cursor.next().switchIfEmpty(Mono.fromRunnable(() -> end(null))).subscribe(this::lend, this::end);
        } else if (ring != null && !watching) {
            watching = true;
            lookIn(FIRST_LOOK_NANOS);
        }
    }

    private long doneOnRing() {
        return ring == null ? 0 : ring.done();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it cannot fail
    private void lookIn(long nanos) {
        try {
            clock.schedule(() -> look(nanos), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            watching = false; // the server is closing, with its connections
        }
    }

    private void look(long waited) {
        if (over || doneOnRing() > lent.returned()) {
            watching = false;
            run();
        } else {
            lookIn(Math.min(waited + waited / SHARE, LATEST_LOOK_NANOS));
        }
    }

    private void lend(Delivery delivery) {
        long number = lent.given();
        String message;
        try {
            String more = ring != null && number == 0 ? ",\"board\":" + ring.about() : "";
            message = manifest.of(delivery, cursor.rank(), number, more);
        } catch (RuntimeException e) {
            delivery.release();
            end(e);
            return;
        }
        if (!lent.lend(delivery, message)) {
            delivery.release();
            return;
        }
        if (ring != null) {
            ring.announce(number, message);
        }
        Told<String> told = stopWaiting(number);
        if (told != null) {
            told.tell(message, null);
        }
        asking = false;
        run();
    }

    private void end(@Nullable Throwable cause) {
        Told<String> told;
        synchronized (lock) {
            failure = cause;
            over = true;
            told = waiting;
            waiting = null;
        }
        if (told != null) {
            told.tell(null, cause);
        }
    }

    /** The request that waits for this batch. By now the consumer may have asked for the one after it. */
    private @Nullable Told<String> stopWaiting(long number) {
        synchronized (lock) {
            Told<String> told = waiting;
            if (told == null || awaited != number) {
                return null;
            }
            waiting = null;
            return told;
        }
    }

    private void close() {
        over = true;
        if (ring != null) {
            ring.close(); // before the memory of its batches is used again
        }
        lent.close();
        cursor.close();
    }
}
