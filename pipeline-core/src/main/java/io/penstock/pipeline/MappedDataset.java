package io.penstock.pipeline;

import reactor.core.publisher.Mono;

/** A dataset through one or several deterministic stages. */
final class MappedDataset<A, T> implements Dataset<T>, Node<T> {

    private final Node<A> base;
    private final Step<A, T> step;
    private final Fingerprint fingerprint;

    private MappedDataset(Node<A> base, Step<A, T> step) {
        this.base = base;
        this.step = step;
        this.fingerprint = base.pipeline().fingerprint().with(step.fingerprint());
    }

    static <A, T> MappedDataset<?, T> over(Node<A> base, Step<A, T> step) {
        return base instanceof MappedDataset<?, A> mapped ? mapped.then(step) : new MappedDataset<>(base, step);
    }

    private <R> MappedDataset<A, R> then(Step<T, R> next) {
        return new MappedDataset<>(base, step.then(next));
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
    public Mono<T> get(long index) {
        return load(new Draw(0, 0, index, Position.START));
    }

    @Override
    public Mono<T> load(Draw draw) {
        return deferred(draw);
    }

    @Override
    public SampleKey key(long index) {
        return base.key(index).with(step.fingerprint());
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
