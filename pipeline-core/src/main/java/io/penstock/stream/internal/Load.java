package io.penstock.stream.internal;

import io.penstock.internal.Begun;
import io.penstock.internal.Guarded;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.stream.Sample;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** A draw that the stream waits for. */
final class Load<T> implements CoreSubscriber<Object>, Scannable, Guarded.End {
    private final MergeRun<T> run;
    private final long number;
    private final Draw draw;
    private final Mono<?> mono;
    volatile @Nullable Object outcome;
    private @Nullable Object value;
    private long began;

    @SuppressWarnings("UnusedVariable") // through its updater
    private volatile @Nullable Subscription subscription;

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<Load, Subscription> SUBSCRIPTION =
            AtomicReferenceFieldUpdater.newUpdater(Load.class, Subscription.class, "subscription");

    Load(MergeRun<T> run, long number, Draw draw, Mono<?> mono) {
        this.run = run;
        this.number = number;
        this.draw = draw;
        this.mono = mono;
    }

    /** The outcome of what a slot holds: a load or an outcome. */
    static @Nullable Object outcome(@Nullable Object held) {
        return held instanceof Load<?> load ? load.outcome : held;
    }

    /** Cancels what a slot holds, if it is a load. */
    static void cancel(Object held) {
        if (held instanceof Load<?> load) {
            load.cancel();
        }
    }

    /** @param at when, if that is measured; or 0 */
    void start(long at) {
        began = at;
        try {
            mono.subscribe(this);
        } catch (Throwable e) {
            fail(e);
        }
    }

    @Override
    public void fail(Throwable thrown) {
        cancel();
        onError(thrown);
    }

    void cancel() {
        Thrown.dropping(run.context, () -> Operators.terminate(SUBSCRIPTION, this));
    }

    @Override
    public Context currentContext() {
        return run.context;
    }

    @Override
    public void onSubscribe(Subscription s) {
        if (Operators.setOnce(SUBSCRIPTION, this, s)) {
            s.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(Object next) {
        value = next;
    }

    @Override
    public void onComplete() {
        Object delivered = value;
        settle(delivered == null ? Sample.absent(draw) : Sample.of(draw, delivered));
    }

    @Override
    public void onError(Throwable e) {
        settle(Begun.failed(e));
    }

    private void settle(Object result) {
        run.loaded(number, result, began);
        outcome = result;
        run.drain();
    }

    @Override
    @SuppressWarnings("rawtypes") // as Reactor declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return subscription;
        }
        if (key == Attr.ACTUAL) {
            return run;
        }
        if (key == Attr.TERMINATED) {
            return outcome != null;
        }
        return key == Attr.CANCELLED ? subscription == Operators.cancelledSubscription() : null;
    }
}
