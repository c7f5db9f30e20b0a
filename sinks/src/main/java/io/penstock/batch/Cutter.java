package io.penstock.batch;

import io.penstock.pipeline.Sample;

/** Puts samples into slots and decides where a batch ends. Used by one thread at a time. */
interface Cutter<T> {

    /** Takes a sample; false, and nothing has changed, if it needs a slot and none is free. */
    boolean take(Sample<T> sample);

    /** Ends what is in the making, as at the end of an epoch. */
    void end();

    /** What becomes of what was cut. */
    interface Output {

        /** A batch is complete, of so many draws. */
        void finished(Lease lease, int draws);

        /** So many draws were used up without a batch. */
        void dropped(int draws);
    }
}
