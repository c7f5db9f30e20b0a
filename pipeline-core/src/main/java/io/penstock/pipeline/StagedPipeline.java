package io.penstock.pipeline;

import reactor.core.publisher.Mono;

/** A pipeline through one or several stages, random ones among them. */
final class StagedPipeline<A, T> implements Pipeline<T>, Node<T> {

    private final Node<A> base;
    private final Step<A, T> step;
    private final Fingerprint fingerprint;

    private StagedPipeline(Node<A> base, Step<A, T> step) {
        this.base = base;
        this.step = step;
        this.fingerprint = base.pipeline().fingerprint().with(step.fingerprint());
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
    public long size() {
        return base.pipeline().size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<T> load(Draw draw) {
        return deferred(draw);
    }

    @Override
    public String name(long index) {
        return base.pipeline().name(index);
    }

    @Override
    public Pipeline<T> pipeline() {
        return this;
    }

    @Override
    public void report(RunStatistics.Tally tally) {
        base.report(tally);
        step.report(tally);
    }

    @Override
    public String toString() {
        return base + "\n" + step;
    }
}
