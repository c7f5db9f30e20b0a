package io.penstock.serve;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** The position of one consumer in its hub. All but {@link #next} and {@link #close} is guarded by the hub's lock. */
final class Cursor {

    private final Hub hub;
    private long number;
    private @Nullable MonoSink<Delivery> waiting;
    private @Nullable Delivery given;

    Cursor(Hub hub, long number) {
        this.hub = hub;
        this.number = number;
    }

    /**
     * The next batch; empty after the last. Ask for one at a time. Signals come from the thread that brought the batch.
     * An error is the run's, or a {@code CancellationException} if the cursor was closed.
     */
    Mono<Delivery> next() {
        return Mono.<Delivery>create(sink -> hub.await(this, sink)).doOnDiscard(Delivery.class, Delivery::release);
    }

    int rank() {
        return hub.rank();
    }

    /** Leaves the hub. The consumer still has to release what was delivered. */
    void close() {
        hub.leave(this);
    }

    long number() {
        return number;
    }

    /** The batch of {@link #number}, which is passed thereby. */
    void give(Delivery delivery) {
        given = delivery;
        number++;
    }

    /** What the last sink that waited was given; null before. */
    @Nullable Delivery given() {
        return given;
    }

    void waitWith(MonoSink<Delivery> sink) {
        if (waiting != null) {
            throw new IllegalStateException("a cursor is asked for one batch at a time");
        }
        waiting = sink;
        given = null;
    }

    @Nullable MonoSink<Delivery> waiting() {
        return waiting;
    }

    @Nullable MonoSink<Delivery> stopWaiting() {
        MonoSink<Delivery> sink = waiting;
        waiting = null;
        return sink;
    }
}
