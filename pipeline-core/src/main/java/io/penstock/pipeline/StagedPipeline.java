package io.penstock.pipeline;

import io.penstock.order.Draw;

/** A pipeline through one or several stages, random ones among them. */
final class StagedPipeline<A, T> extends Stage<A, T> implements Pipeline<T> {

    private final Step<A, T> step;

    private StagedPipeline(Node<A> base, Step<A, T> step) {
        super(base, base.pipeline().fingerprint().with(step.fingerprint()));
        this.step = step;
    }

    static <A, T> StagedPipeline<?, T> over(Node<A> base, Step<A, T> step) {
        return base instanceof StagedPipeline<?, A> staged ? staged.then(step) : new StagedPipeline<>(base, step);
    }

    private <R> StagedPipeline<A, R> then(Step<T, R> next) {
        return new StagedPipeline<>(base, step.then(next));
    }

    @Override
    public Object begin(Draw draw) {
        return Workers.apply(base.begin(draw), step, draw);
    }

    @Override
    public void beginAll(Draw[] draws, Object[] begun) {
        base.beginAll(draws, begun);
        Workers.applyAll(begun, step, draws);
    }

    @Override
    public void report(RunStatistics.Tally tally) {
        super.report(tally);
        step.report(tally);
    }

    @Override
    public String toString() {
        return base + "\n" + step;
    }
}
