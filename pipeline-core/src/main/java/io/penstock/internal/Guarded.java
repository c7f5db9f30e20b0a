package io.penstock.internal;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Turns a throwable that leaves a foreign {@code Mono}'s {@code subscribe} or {@code request} into its error. Reactor's
 * own operators rethrow the throwables that {@link Thrown} names.
 */
public final class Guarded<T> extends MonoOperator<T, T> {

    public Guarded(Mono<T> source) {
        super(source);
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        Guard<T> guard = new Guard<>(actual);
        try {
            source.subscribe(guard);
        } catch (Throwable e) {
            guard.fail(e);
        }
    }

    /** A subscriber that may be told of a failure at any time, by any thread, and then cancels what it waits for. */
    public interface End {
        void fail(Throwable thrown);
    }

    /**
     * Ends the stream of an operator that threw, or whose subscriber did. The operators next to it may count as ended
     * already, so the nearest {@link End} below it is told; or the nearest that is one of several of a merging operator, or
     * the last subscriber. Throws it on where none is found.
     * @param operator a task of a scheduler, or a sink
     */
    public static void fail(Object operator, Throwable thrown) {
        Object above = operator;
        Object below = actual(above);
        for (Object next = actual(below); next != null && !isLast(below, next); next = actual(below)) {
            above = below;
            below = next;
        }
        if (below instanceof End end) {
            end.fail(thrown);
        } else if (below instanceof CoreSubscriber<?> subscriber) {
            if (above instanceof Subscription subscription) {
                Thrown.dropping(subscriber.currentContext(), subscription::cancel);
            }
            subscriber.onError(Thrown.signal(thrown));
        } else {
            throw Thrown.rethrown(thrown);
        }
    }

    /** What an operator merges has another operator below it than that one has above it. */
    private static boolean isLast(@Nullable Object operator, Object below) {
        Object above = scanned(below, Scannable.Attr.PARENT);
        return operator instanceof End || above != null && above != operator;
    }

    private static @Nullable Object actual(@Nullable Object operator) {
        return scanned(operator, Scannable.Attr.ACTUAL);
    }

    private static @Nullable Object scanned(@Nullable Object operator, Scannable.Attr<?> attribute) {
        return operator instanceof Scannable scannable ? scannable.scanUnsafe(attribute) : null;
    }

    private static final class Guard<T> implements CoreSubscriber<T>, Subscription, Scannable, End {

        private final CoreSubscriber<? super T> actual;
        private final AtomicBoolean ended = new AtomicBoolean();
        private @Nullable Subscription upstream;

        Guard(CoreSubscriber<? super T> actual) {
            this.actual = actual;
        }

        @Override
        public void fail(Throwable thrown) {
            Throwable signal = Thrown.signal(thrown);
            Subscription subscribed = upstream;
            if (subscribed == null) {
                ended.set(true);
                Operators.error(actual, signal);
            } else {
                Thrown.dropping(currentContext(), subscribed::cancel);
                onError(signal);
            }
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription s) {
            if (Operators.validate(upstream, s)) {
                upstream = s;
                actual.onSubscribe(this);
            }
        }

        @Override
        public void onNext(T value) {
            actual.onNext(value);
        }

        @Override
        public void onError(Throwable e) {
            if (ended.compareAndSet(false, true)) {
                actual.onError(e);
            } else {
                Operators.onErrorDropped(e, currentContext());
            }
        }

        @Override
        public void onComplete() {
            if (ended.compareAndSet(false, true)) {
                actual.onComplete();
            }
        }

        @Override
        public void request(long n) {
            Subscription subscribed = upstream;
            if (subscribed != null) {
                try {
                    subscribed.request(n);
                } catch (Throwable e) {
                    fail(e);
                }
            }
        }

        @Override
        public void cancel() {
            Subscription subscribed = upstream;
            if (subscribed != null) {
                subscribed.cancel();
            }
        }

        @Override
        @SuppressWarnings("rawtypes") // as Reactor declares it
        public @Nullable Object scanUnsafe(Attr key) {
            if (key == Attr.PARENT) {
                return upstream;
            }
            if (key == Attr.ACTUAL) {
                return actual;
            }
            return key == Attr.TERMINATED ? (Object) ended.get() : null;
        }
    }
}
