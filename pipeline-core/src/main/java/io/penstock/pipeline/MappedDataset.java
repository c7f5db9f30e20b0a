package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;

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
    public SampleId id(long index) {
        return input.id(index).with(function.fingerprint());
    }

    @Override
    Fingerprint stages() {
        return input.stages().with(function.fingerprint());
    }
}
