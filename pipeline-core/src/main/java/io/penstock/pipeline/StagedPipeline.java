package io.penstock.pipeline;


/** A pipeline through one or several stages, random ones among them. */
final class StagedPipeline<A, T> extends FunctionStage<A, T> implements Pipeline<T> {

    private StagedPipeline(Node<A> base, Step<A, T> step) {
        super(base, step);
    }

    static <A, T> StagedPipeline<?, T> over(Node<A> base, Step<A, T> step) {
        return base instanceof StagedPipeline<?, A> staged ? staged.then(step) : new StagedPipeline<>(base, step);
    }

    private <R> StagedPipeline<A, R> then(Step<T, R> next) {
        return new StagedPipeline<>(base, step.then(next));
    }
}
