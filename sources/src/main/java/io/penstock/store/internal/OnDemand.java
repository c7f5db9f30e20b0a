package io.penstock.store.internal;

import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;

/** Keeps a store's promise to read nothing before someone requests, where its source would begin when subscribed to. */
public final class OnDemand {

    private OnDemand() {}

    /** The same value, of a source that is subscribed to at the first request. Cancelling cancels it. */
    public static <T> Mono<T> of(Mono<T> source) {
        return Mono.create(sink -> {
            AtomicBoolean begun = new AtomicBoolean();
            Disposable.Swap running = Disposables.swap();
            sink.onDispose(running);
            sink.onRequest(n -> {
                if (begun.compareAndSet(false, true)) {
                    running.update(subscribe(sink, source));
                }
            });
        });
    }

    /**
     * Subscribes to a source on behalf of a sink, with its context; the sink is left to dispose of what is given back.
     *
     * <p>A sink is told of its value or that there is none, never of both: a value that comes while the request is still being
     * made waits in it, and an end that is told behind would let it be forgotten.
     */
    public static <T> Disposable subscribe(MonoSink<T> sink, Mono<T> source) {
        return source.singleOptional()
                .subscribe(
                        found -> found.ifPresentOrElse(sink::success, sink::success),
                        sink::error,
                        null,
                        Context.of(sink.contextView()));
    }
}
