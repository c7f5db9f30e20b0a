package io.penstock.store.internal;

import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Maps several elements at once, and emits results and failures in the order of the elements. */
public final class InOrder {

    private InOrder() {}

    /**
     * Applies a function to each element, at most {@code atOnce} at a time; an element without a result is left
     * out. Fails with the error of the first element, in their order, that fails, and cancels the rest. (Reactor's
     * {@code flatMapSequential} alone fails with a {@code CompositeException} when two fail before the first is told.)
     */
    public static <T, R> Function<Flux<T>, Publisher<R>> map(int atOnce, Function<? super T, Mono<R>> fn) {
        return elements -> elements.flatMapSequential(
                        element -> fn.apply(element).materialize(), atOnce, 1)
                .filter(signal -> !signal.isOnComplete())
                .dematerialize();
    }
}
