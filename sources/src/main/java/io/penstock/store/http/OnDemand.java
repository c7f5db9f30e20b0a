package io.penstock.store.http;

import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Subscribes when someone requests: a store reads nothing before. */
final class OnDemand {

    private OnDemand() {}

    static <T> Mono<T> of(Mono<T> source) {
        return Mono.create(sink -> {
            AtomicBoolean begun = new AtomicBoolean();
            Disposable.Swap running = Disposables.swap();
            sink.onDispose(running);
            sink.onRequest(n -> {
                if (begun.compareAndSet(false, true)) {
                    running.update(source.subscribe(
                            sink::success, sink::error, sink::success, Context.of(sink.contextView())));
                }
            });
        });
    }
}
