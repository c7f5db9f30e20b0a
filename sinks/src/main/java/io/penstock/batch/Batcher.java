package io.penstock.batch;

import io.penstock.pipeline.Sample;

/** Puts samples into slots and decides where a batch ends. Used by one thread at a time. */
interface Batcher<T> {

    /** Takes a sample; false, and nothing has changed, if it needs a slot and none is free. */
    boolean take(Sample<T> sample);

    /** Upstream has completed: ends what is in the making. */
    void end();

    /** Upstream has failed: gives out what was complete before, and nothing of what is in the making. */
    void fail();

    /** What becomes of what was cut. */
    interface Output {

        /** A batch is complete; {@code ahead} more may be drawn before it is finished. */
        void cut(int draws, int ahead);

        /** The batch that was cut can be delivered. */
        void finished(LentSlot lease, int ahead);

        /** So many draws were used up without a batch. */
        void dropped(int draws);

        /** Whether samples come from a stream without an operator in between, which might leave some out. */
        boolean direct();
    }
}
