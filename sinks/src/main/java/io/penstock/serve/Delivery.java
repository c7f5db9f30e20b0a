package io.penstock.serve;

import io.penstock.batch.Batch;
import java.util.concurrent.atomic.AtomicBoolean;

/** A batch that one consumer has, until {@link #release}. */
final class Delivery {

    private final Hub hub;
    private final Hub.Retained retained;
    private final AtomicBoolean released = new AtomicBoolean();

    Delivery(Hub hub, Hub.Retained retained) {
        this.hub = hub;
        this.retained = retained;
    }

    Batch batch() {
        return retained.batch;
    }

    Hub hub() {
        return hub;
    }

    /** Gives the batch back; from any thread. A second call does nothing. */
    void release() {
        if (released.compareAndSet(false, true)) {
            hub.released(retained);
        }
    }
}
