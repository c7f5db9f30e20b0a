package io.penstock.internal;

import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * A subscriber to a {@code Mono} whose outcome a thread of this house tells. {@code MonoSink} gives what a subscriber
 * throws to the operator that threw it, which may count as ended and drop it.
 */
public abstract class ToldSubscriber<T> extends Operators.MonoSubscriber<T, T> {

    protected ToldSubscriber(CoreSubscriber<? super T> actual) {
        super(actual);
    }

    /** Tells the value or the failure, or that there is neither. Never throws: what the subscriber throws fails it. */
    public final void tell(@Nullable T value, @Nullable Throwable failure) {
        try {
            if (isCancelled()) {
                discard(value);
            } else if (failure != null) {
                onError(Thrown.signal(failure));
            } else if (value != null) {
                complete(value);
            } else {
                onComplete();
            }
        } catch (Throwable e) {
            Guarded.fail(this, e);
        }
    }
}
