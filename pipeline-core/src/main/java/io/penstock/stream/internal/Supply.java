package io.penstock.stream.internal;

import io.penstock.order.Draw;
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
}
