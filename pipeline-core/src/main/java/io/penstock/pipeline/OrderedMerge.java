package io.penstock.pipeline;

import io.penstock.internal.Thrown;
import io.penstock.order.Draws;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** The stream of a pipeline: each subscription merges the loads of its own draws, in draw order. */
final class OrderedMerge<T> extends Flux<Sample<T>> {

    private final Node<T> node;
    private final Draws draws;
    private final Execution execution;
    private final @Nullable Prefetch<? super T> prefetch;

    OrderedMerge(Node<T> node, Draws draws, Execution execution, @Nullable Prefetch<? super T> prefetch) {
        this.node = node;
        this.draws = draws;
        this.execution = execution;
        this.prefetch = prefetch;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Sample<T>> actual) {
        MergeRun<T> run;
        try {
            run = new MergeRun<>(node, draws, execution, prefetch, actual);
        } catch (Throwable e) {
            Operators.error(actual, Thrown.signal(e));
            return;
        }
        actual.onSubscribe(run);
        if (draws.count() == 0) {
            run.drain(); // nothing to wait for, not even a request
        }
    }
}
