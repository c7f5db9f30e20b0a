package io.penstock.stream.internal;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/** Where a merge has its draws from: computed by number, or {@link Arrivals} of another stream. */
interface Supply {

    /** The number of draws in all; more than any stream has while that is not known. */
    long count();

    /** The number of the first draw that cannot be begun yet. */
    long available();

    /**
     * Hands over the draws from a number on, once each, and what they begin with: nothing, or the value that arrived.
     * @return false if the stream has stopped and they are gone
     */
    boolean take(long first, Draw[] draws, Object[] begun);

    /** Where a run goes on that has had the draws before this number, and no other; not asked of an arrived one. */
    Position position(long number);

    /** Gets what was taken and not begun, from an index on. */
    void discard(Draw[] draws, Object[] begun, int from);

    /** Called by the draining thread, after the subscriber's first request: this many draws were delivered. */
    void delivered(long number);

    /** The failure that follows the last draw, if any. */
    @Nullable Throwable failure();

    /** Nothing is taken any more. Called any number of times, from any thread. */
    void stop();

    /** The stream that they come from, if any. */
    @Nullable Subscription upstream();

    static Supply of(Draws draws) {
        return new Computed(draws, draws.count());
    }

    /** Draws that are all there from the beginning. */
    record Computed(Draws draws, long count) implements Supply {

        @Override
        public long available() {
            return count;
        }

        @Override
        public boolean take(long first, Draw[] taken, Object[] begun) {
            draws.at(first, taken);
            return true;
        }

        @Override
        public Position position(long number) {
            return draws.position(number);
        }

        @Override
        public void discard(Draw[] taken, Object[] begun, int from) {}

        @Override
        public void delivered(long number) {}

        @Override
        public @Nullable Throwable failure() {
            return null;
        }

        @Override
        public void stop() {}

        @Override
        public @Nullable Subscription upstream() {
            return null;
        }
    }
}
