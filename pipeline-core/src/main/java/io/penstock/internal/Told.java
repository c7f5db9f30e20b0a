package io.penstock.internal;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** What {@code Mono.create} has a {@code MonoSink} for, where what the subscriber throws fails it as well. */
public final class Told<T> extends ToldSubscriber<T> {

    private final AtomicReference<@Nullable Runnable> cancellation = new AtomicReference<>();

    private Told(CoreSubscriber<? super T> actual) {
        super(actual);
    }

    /**
     * Tells each subscriber by itself.
     * @param begin called once for each subscriber; what it throws is told
     */
    public static <T> Mono<T> mono(Consumer<Told<T>> begin) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                Told<T> told = new Told<>(actual);
                actual.onSubscribe(told);
                told.attempt(() -> begin.accept(told));
            }
        };
    }

    /** Runs a task that leads to the outcome, and tells what it throws. */
    public void attempt(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            tell(null, e);
        }
    }

    /** Runs this once if the subscriber cancels, or has done so. */
    public void onCancel(Runnable task) {
        cancellation.set(task);
        if (isCancelled()) {
            cancelOnce();
        }
    }

    @Override
    public void cancel() {
        super.cancel();
        cancelOnce();
    }

    private void cancelOnce() {
        Runnable task = cancellation.getAndSet(null);
        if (task != null) {
            task.run();
        }
    }
}
