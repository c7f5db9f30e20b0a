package io.penstock.cache;

import io.penstock.internal.Thrown;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One load and all who wait for it. Reactor's {@code replay(1).refCount()} between two peeks does the same with some eight
 * objects and a queue a load, which is much beside a record of 1 KiB.
 *
 * <p>Passengers board until it has ended or all have left; boarding after the end gives the outcome. When the last one
 * leaves before the end, the load is cancelled and nobody can board any more.
 */
final class Flight<T> implements CoreSubscriber<T> {

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<Flight, Subscription> UPSTREAM =
            AtomicReferenceFieldUpdater.newUpdater(Flight.class, Subscription.class, "upstream");

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<Flight, Passenger[]> ABOARD =
            AtomicReferenceFieldUpdater.newUpdater(Flight.class, Passenger[].class, "aboard");

    private static final Passenger<?>[] NOBODY_YET = {};
    private static final Passenger<?>[] LANDED = {};
    private static final Passenger<?>[] GIVEN_UP = {};

    private final Context context;
    private final Consumer<Flight<T>> ended;
    private @Nullable T value;
    private @Nullable Throwable failure;
    private volatile Passenger<?>[] aboard = NOBODY_YET;

    @SuppressWarnings("UnusedVariable") // through its updater
    private volatile @Nullable Subscription upstream;

    /**
     * A flight whose load is yet to be subscribed with it.
     * @param ended called once it has ended or was given up, before anyone is told
     */
    Flight(Context context, Consumer<Flight<T>> ended) {
        this.context = context;
        this.ended = ended;
    }

    /** Whether the passenger will be told the outcome, or has been; not if all others have left. */
    boolean board(Passenger<T> passenger) {
        passenger.flight = this;
        while (true) {
            Passenger<?>[] now = aboard;
            if (now == GIVEN_UP) {
                return false;
            }
            if (now == LANDED) {
                tell(passenger);
                return true;
            }
            Passenger<?>[] then = Arrays.copyOf(now, now.length + 1);
            then[now.length] = passenger;
            if (ABOARD.compareAndSet(this, now, then)) {
                if (passenger.isCancelled()) {
                    leave(passenger); // who cancelled may have found no flight to leave
                }
                return true;
            }
        }
    }

    private void leave(Passenger<?> passenger) {
        while (true) {
            Passenger<?>[] now = aboard;
            Passenger<?>[] rest =
                    Arrays.stream(now).filter(other -> other != passenger).toArray(Passenger<?>[]::new);
            if (rest.length == now.length) {
                return; // has left before, or all have been told
            }
            Passenger<?>[] then = rest.length == 0 ? GIVEN_UP : rest;
            if (ABOARD.compareAndSet(this, now, then)) {
                if (then == GIVEN_UP) {
                    ended.accept(this);
                    Operators.terminate(UPSTREAM, this);
                }
                return;
            }
        }
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription s) {
        if (Operators.setOnce(UPSTREAM, this, s)) {
            s.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(T next) {
        value = next;
    }

    @Override
    public void onComplete() {
        land();
    }

    @Override
    public void onError(Throwable e) {
        if (aboard == GIVEN_UP) {
            Operators.onErrorDropped(e, context);
            return;
        }
        failure = Thrown.signal(e);
        land();
    }

    @SuppressWarnings("unchecked") // only its own passengers board
    private void land() {
        ended.accept(this);
        for (Passenger<?> passenger : ABOARD.getAndSet(this, LANDED)) {
            tell((Passenger<T>) passenger);
        }
    }

    private void tell(Passenger<T> passenger) {
        try {
            tellOutcome(passenger);
        } catch (Throwable e) { // of what is behind this passenger: the others wait too
            passenger.fail(e);
        }
    }

    private void tellOutcome(Passenger<T> passenger) {
        if (passenger.isCancelled()) {
            return;
        }
        T delivered = value;
        if (failure != null) {
            passenger.onError(failure);
        } else if (delivered != null) {
            passenger.complete(delivered);
        } else {
            passenger.onComplete();
        }
    }

    /** Someone who waits: told once there is an outcome and demand, or never if cancelled before. */
    static final class Passenger<T> extends Operators.MonoSubscriber<T, T> {

        private volatile @Nullable Flight<T> flight;

        Passenger(CoreSubscriber<? super T> actual) {
            super(actual);
        }

        @Override
        public void cancel() {
            super.cancel();
            Flight<T> boarded = flight;
            if (boarded != null) {
                boarded.leave(this);
            }
        }

        /** Its subscriber threw. */
        void fail(Throwable thrown) {
            actual.onError(Thrown.signal(thrown));
        }

        /** The value is the others' too. */
        @Override
        protected void discard(@Nullable T shared) {}
    }
}
