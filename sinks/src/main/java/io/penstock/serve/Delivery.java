package io.penstock.serve;

import io.penstock.batch.Batch;
import java.util.concurrent.atomic.AtomicBoolean;

/** A batch in the hands of one consumer, who gives it back with {@link #release}. */
final class Delivery {

    private final Hub hub;
    private final RetainedBatch held;
    private final AtomicBoolean released = new AtomicBoolean();

    Delivery(Hub hub, RetainedBatch held) {
        this.hub = hub;
        this.held = held;
    }

    Batch batch() {
        return held.batch();
    }

    Hub hub() {
        return hub;
    }

    /** From any thread; twice does nothing. */
    void release() {
        if (released.compareAndSet(false, true)) {
            hub.released(held);
        }
    }
}
