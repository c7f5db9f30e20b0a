package io.penstock.pipeline;

import io.penstock.fault.FormatException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A load that a stress test ends on the thread that it chooses; for one subscriber. Once cancelled it says nothing. */
public final class Pending extends Mono<Integer> implements Subscription {

    private volatile @Nullable CoreSubscriber<? super Integer> waiting;
    private volatile boolean cancelled;

    @Override
    public void subscribe(CoreSubscriber<? super Integer> actual) {
        waiting = actual;
        actual.onSubscribe(this);
    }

    @Override
    public void request(long n) {}

    @Override
    public void cancel() {
        cancelled = true;
    }

    public boolean isUnderWay() {
        return waiting != null && !cancelled;
    }

    public void complete(int value) {
        CoreSubscriber<? super Integer> subscriber = waiting;
        if (subscriber != null && !cancelled) {
            subscriber.onNext(value);
            subscriber.onComplete();
        }
    }

    public void fail() {
        CoreSubscriber<? super Integer> subscriber = waiting;
        if (subscriber != null && !cancelled) {
            subscriber.onError(new FormatException("not a JPEG"));
        }
    }
}
