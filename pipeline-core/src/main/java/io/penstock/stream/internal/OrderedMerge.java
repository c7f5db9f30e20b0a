package io.penstock.stream.internal;

import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.stream.Execution;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** The stream of a pipeline: each subscription merges the loads of its own draws, in draw order. */
public final class OrderedMerge<T> extends Flux<Sample<T>> implements Scannable {

    /** Begins the loads of a pipeline. */
    @FunctionalInterface
    public interface Loader {

        /**
         * Begins draws one after another on the calling thread. {@code begun[i]} gets the value of {@code draws[i]},
         * {@link Begun#ABSENT}, a cold {@code Mono}, or a {@link Begun.Failed}. Behind {@link Arrivals} it has the
         * value that arrived, or {@link Begun#ABSENT}.
         */
        void beginAll(Draw[] draws, Object[] begun);
    }

    private final Loader loader;
    private final Function<long[], Mono<Void>> prefetch;
    private final Draws draws;
    private final Execution execution;
    private final @Nullable ReadAhead<? super T> readAhead;

    /** @param prefetch loads what samples lie in, as {@link io.penstock.pipeline.Dataset#prefetch} does */
    public OrderedMerge(
            Loader loader,
            Function<long[], Mono<Void>> prefetch,
            Draws draws,
            Execution execution,
            @Nullable ReadAhead<? super T> readAhead) {
        this.loader = loader;
        this.prefetch = prefetch;
        this.draws = draws;
        this.execution = execution;
        this.readAhead = readAhead;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Sample<T>> actual) {
        MergeRun<T> run;
        try {
            run = new MergeRun<>(loader, new ComputedDraws(draws, prefetch, execution), execution, readAhead, actual);
        } catch (Throwable e) {
            Operators.error(actual, Thrown.signal(e));
            return;
        }
        actual.onSubscribe(run);
        if (draws.count() == 0) {
            run.drain(); // nothing to wait for, not even a request
        }
    }

    @Override
    @SuppressWarnings("rawtypes") // as Reactor declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PREFETCH) {
            return execution.inFlight();
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
