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

    private static final class Guard<T> implements CoreSubscriber<T>, Subscription, Scannable {

        private final CoreSubscriber<? super T> actual;
        private final AtomicBoolean ended = new AtomicBoolean();
        private @Nullable Subscription upstream;

        Guard(CoreSubscriber<? super T> actual) {
            this.actual = actual;
        }

        void fail(Throwable thrown) {
            Throwable signal = Thrown.signal(thrown);
            Subscription subscribed = upstream;
            if (subscribed == null) {
                ended.set(true);
                Operators.error(actual, signal);
            } else {
                subscribed.cancel();
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
