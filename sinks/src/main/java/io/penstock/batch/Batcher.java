package io.penstock.batch;

import io.penstock.batch.internal.LentSlot;
import io.penstock.stream.Sample;

/** Puts samples into slots and decides where a batch ends. Used by one thread at a time. */
interface Batcher<T> {

    /** Takes a sample. If it needs a slot and none is free, returns false and changes nothing. */
    boolean take(Sample<T> sample);

    /** Upstream has completed: completes the batches that have samples. */
    void end();

    /** Upstream has failed: delivers the batches that were complete before, and drops the others. */
    void fail();

    interface Output {

        /** A batch of this many draws is complete; {@code ahead} draws more may be asked for before it is delivered. */
        void completed(int draws, int ahead);

        /** A completed batch can be delivered, which ends the permission for {@code ahead} draws. */
        void ready(LentSlot batch, int ahead);

        /** These many draws were used up without a batch. */
        void dropped(int draws);

        /** Whether samples come straight from a stream, without an operator between that could leave some out. */
        boolean isDirect();
    }
}
