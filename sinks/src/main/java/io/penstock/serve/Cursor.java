package io.penstock.serve;

import io.penstock.internal.Told;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The position of one consumer in its hub. All but {@link #next} and {@link #close} is guarded by the hub's lock. */
final class Cursor {

    private final Hub hub;
    private long number;
    private @Nullable Told<Delivery> waiting;
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
        return Told.<Delivery>mono(told -> hub.await(this, told)).doOnDiscard(Delivery.class, Delivery::release);
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

    /** What the last one that waited was given; null before. */
    @Nullable Delivery given() {
        return given;
    }

    void waitWith(Told<Delivery> told) {
        if (waiting != null) {
            throw new IllegalStateException("a cursor is asked for one batch at a time");
        }
        waiting = told;
        given = null;
    }

    @Nullable Told<Delivery> waiting() {
        return waiting;
    }

    @Nullable Told<Delivery> stopWaiting() {
        Told<Delivery> told = waiting;
        waiting = null;
        return told;
    }
}
