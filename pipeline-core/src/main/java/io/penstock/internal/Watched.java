package io.penstock.internal;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.util.context.Context;

/**
 * A {@code Flux} whose signals come from threads of others, such as Netty's event loops. What the operators below throw
 * ends their stream, as it does on a {@link GuardedScheduler}; the thread's owner would tell no subscriber.
 */
public final class Watched<T> extends FluxOperator<T, T> {

    public Watched(Flux<T> source) {
        super(source);
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        source.subscribe(new Watch<>(actual));
    }

    private static final class Watch<T> implements CoreSubscriber<T>, Subscription, Scannable {

        private final CoreSubscriber<? super T> actual;
        private @Nullable Subscription upstream;

        Watch(CoreSubscriber<? super T> actual) {
            this.actual = actual;
        }

        private void tell(Runnable signal) {
            try {
                signal.run();
            } catch (Throwable e) {
                Guarded.fail(this, e);
            }
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription s) {
            upstream = s;
            actual.onSubscribe(this);
        }

        @Override
        public void onNext(T value) {
            tell(() -> actual.onNext(value));
        }

        @Override
        public void onError(Throwable e) {
            tell(() -> actual.onError(e));
        }

        @Override
        public void onComplete() {
            tell(actual::onComplete);
        }

        @Override
        public void request(long n) {
            if (upstream != null) {
                upstream.request(n);
            }
        }

        @Override
        public void cancel() {
            if (upstream != null) {
                upstream.cancel();
            }
        }

        @Override
        @SuppressWarnings("rawtypes") // as Reactor declares it
        public @Nullable Object scanUnsafe(Attr key) {
            return key == Attr.PARENT ? upstream : key == Attr.ACTUAL ? actual : null;
        }
    }
}
