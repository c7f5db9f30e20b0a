package io.penstock.pipeline;

/** A pipeline through one or several functions, random ones among them. */
final class StagedPipeline<A, T> extends FunctionStage<A, T> {

    private StagedPipeline(Stage<A> input, StageFunction<A, T> function) {
        super(input, function);
    }

    static <A, T> StagedPipeline<?, T> over(Stage<A> input, StageFunction<A, T> function) {
        return input instanceof StagedPipeline<?, A> staged
                ? staged.then(function)
                : new StagedPipeline<>(input, function);
    }

    private <R> StagedPipeline<A, R> then(StageFunction<T, R> next) {
        return new StagedPipeline<>(input, function.then(next));
    }
}
