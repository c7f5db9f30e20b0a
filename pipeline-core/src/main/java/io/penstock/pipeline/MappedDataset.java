package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.WithOrigin;
import io.penstock.order.Draw;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A dataset through one or several deterministic functions. */
final class MappedDataset<A, T> extends FunctionStage<A, T> implements Dataset<T> {

    private MappedDataset(Stage<A> input, StageFunction<A, T> function) {
        super(input, function);
    }

    static <A, T> MappedDataset<?, T> mapped(Stage<A> input, StageFunction<A, T> function) {
        return input instanceof MappedDataset<?, A> mapped
                ? mapped.thenMap(function)
                : new MappedDataset<>(input, function);
    }

    private <R> MappedDataset<A, R> thenMap(StageFunction<T, R> next) {
        return new MappedDataset<>(input, function.then(next));
    }

    @Override
    @Nullable Stage<WithOrigin<T>> withOrigin() {
        Stage<WithOrigin<A>> origins = input.withOrigin();
        return origins == null ? null : FunctionStage.over(origins, new StageFunction.OfValue<>(function));
    }

    @Override
    T made(ByteBuffer origin, Draw draw) {
        return function.apply(input.made(origin, draw), draw);
    }

    @Override
    public SampleId id(long index) {
        return input.id(index).with(function.fingerprint());
    }

    @Override
    Fingerprint stages() {
        return input.stages().with(function.fingerprint());
    }
}
