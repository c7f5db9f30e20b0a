package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import java.nio.ByteBuffer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** A dataset through one or several deterministic stages. */
final class MappedDataset<A, T> extends FunctionStage<A, T> implements Dataset<T> {

    private MappedDataset(Node<A> base, Step<A, T> step) {
        super(base, step);
    }

    static <A, T> MappedDataset<?, T> over(Node<A> base, Step<A, T> step) {
        return base instanceof MappedDataset<?, A> mapped ? mapped.then(step) : new MappedDataset<>(base, step);
    }

    private <R> MappedDataset<A, R> then(Step<T, R> next) {
        return new MappedDataset<>(base, step.then(next));
    }

    @Override
    public SampleKey key(long index) {
        return base.key(index).with(step.fingerprint());
    }

    @Override
    public Fingerprint stages() {
        return base.stages().with(step.fingerprint());
    }

    @Override
    public Mono<String> unsteady(Draw draw, Function<? super T, ByteBuffer> finish) {
        return base.deferred(draw)
                .mapNotNull(Thrown.function(input -> step.unsteady(input, draw, finish)))
                .switchIfEmpty(base.unsteady(draw, input -> finish.apply(step.apply(input, draw))));
    }
}
