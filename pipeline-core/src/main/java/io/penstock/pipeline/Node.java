package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * What every stage of this package is besides its public face: able to begin a sample without a {@code Mono} around it.
 *
 * <p>A {@code Mono} a stage costs more than a RAM hit does. So {@link #begin} returns the value itself where it is at
 * hand, and a {@code Mono} only where something has to be waited for; {@code load} wraps that for the outside.
 */
interface Node<T> {

    /**
     * Begins a draw on the calling thread: returns its value, {@link Begun#ABSENT}, or a {@code Mono<T>} of it that is cold
     * and has not begun.
     * @throws RuntimeException the draw's failure, where it is known at once
     */
    Object begin(Draw draw);

    /**
     * Begins several draws one after another: {@code begun[i]} gets what {@link #begin} returns for {@code draws[i]}, or a
     * {@link Begun.Failed} of what it throws. A stage that waits for memory rather than for work waits once for all of them.
     */
    default void beginAll(Draw[] draws, Object[] begun) {
        for (int i = 0; i < draws.length; i++) {
            try {
                begun[i] = begin(draws[i]);
            } catch (Throwable e) {
                begun[i] = Begun.failed(e);
            }
        }
    }

    /** The public face, which every node has. */
    @SuppressWarnings("unchecked") // every node is a pipeline of its own type: see the classes
    default Pipeline<T> pipeline() {
        return (Pipeline<T>) this;
    }

    /** The key of a sample; only datasets have one. */
    default SampleKey key(long index) {
        throw new IllegalStateException("only datasets have keys");
    }

    /** What of the source's state decides a sample's key; only datasets have one. */
    default List<String> state(long index) {
        throw new IllegalStateException("only datasets have keys");
    }

    /** The stages between the sources and what leaves this node, as they are part of its keys. */
    default Fingerprint stages() {
        return Fingerprint.of();
    }

    /**
     * The name of the stage above that gives different results for one and the same draw, empty if none was seen to; see
     * {@link Step#unsteady}.
     */
    default Mono<String> unsteady(Draw draw, Function<? super T, ByteBuffer> finish) {
        return deferred(draw)
                .map(Thrown.function(finish))
                .repeat(Step.AGAIN)
                .collectList()
                .filter(results -> results.stream().distinct().count() > 1)
                .map(results -> "load");
    }

    /** Adds what this stage and those above did in an epoch. */
    void report(RunStatistics.Tally tally);

    /** The stage behind a pipeline; a user's own dataset gets a {@link Source} around it. */
    @SuppressWarnings("unchecked")
    static <T> Node<T> of(Pipeline<T> pipeline) {
        return pipeline instanceof Node<?> node ? (Node<T>) node : new Source<>((Dataset<T>) pipeline);
    }

    /** A draw as a {@code Mono} that begins it at each subscription. */
    default Mono<T> deferred(Draw draw) {
        return Mono.defer(Thrown.supplier(() -> Begun.toMono(begin(draw))));
    }
}
