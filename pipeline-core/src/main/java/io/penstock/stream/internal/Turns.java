package io.penstock.stream.internal;

import io.penstock.order.Position;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Which draw of a {@link MergeRun} is delivered next. The first number that was not delivered has the turn. Only the
 * draining thread calls what changes it; other threads may ask the rest.
 */
sealed interface Turns permits Turns.InOrder, Windowed {

    /** The turns of a new run: in order, unless it delivers ahead of the turn or the run that it resumes did. */
    static Turns of(Supply supply, LoadWindow loads, Execution execution) {
        BigInteger before =
                supply.count() == 0 ? BigInteger.ZERO : supply.position(0).ahead();
        return execution.window() > 1 || before.signum() != 0
                ? new Windowed(supply, loads, execution, before)
                : new InOrder(loads);
    }

    /** The number of draws from the turn on that need slots. */
    int slots();

    /** The number that has the turn. */
    long now();

    /** The number of the first draw that must not be begun yet. */
    long limit();

    /** Whether a number is passed over: the run that is resumed delivered it. */
    boolean skips(long number);

    /** Whether {@link #ready} finds numbers at all. */
    boolean goesAhead();

    /** Loads may have ended since the last search for what is {@link #ready}. */
    void lookAgain();

    /** A number behind the turn that may be delivered and has its outcome; or -1. */
    long ready(Slots<Object> slots, long begun);

    /** Marks a number as delivered; returns its sample with what its draw says of the rest of the run. */
    <T> Sample<T> deliver(long number, Sample<T> sample);

    /** Each draw waits for those before it, and says {@link Position} and count as the sampler made them. */
    final class InOrder implements Turns {

        private static final AtomicLongFieldUpdater<InOrder> TURN =
                AtomicLongFieldUpdater.newUpdater(InOrder.class, "turn");

        private final LoadWindow loads;
        private volatile long turn;

        private InOrder(LoadWindow loads) {
            this.loads = loads;
        }

        @Override
        public int slots() {
            return loads.capacity();
        }

        @Override
        public long now() {
            return turn;
        }

        @Override
        public long limit() {
            return turn + loads.size();
        }

        @Override
        public boolean skips(long number) {
            return false;
        }

        @Override
        public boolean goesAhead() {
            return false;
        }

        @Override
        public void lookAgain() {}

        @Override
        public long ready(Slots<Object> slots, long begun) {
            return -1;
        }

        @Override
        public <T> Sample<T> deliver(long number, Sample<T> sample) {
            TURN.lazySet(this, number + 1);
            return sample;
        }
    }
}
