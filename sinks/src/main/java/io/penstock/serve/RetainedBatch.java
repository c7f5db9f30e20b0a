package io.penstock.serve;

import io.penstock.batch.Batch;
import io.penstock.order.Position;

/** A batch that some consumer still needs. Guarded by its hub's lock. */
final class RetainedBatch {

    private final Batch batch;
    private final Position start;
    private int deliveries;

    RetainedBatch(Batch batch, Position start) {
        this.batch = batch;
        this.start = start;
    }

    Batch batch() {
        return batch;
    }

    /** The position at which a run begins with this batch. */
    Position start() {
        return start;
    }

    void delivered() {
        deliveries++;
    }

    void released() {
        deliveries--;
    }

    boolean isInUse() {
        return deliveries > 0;
    }
}
