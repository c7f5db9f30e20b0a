package io.penstock.pipeline;

import java.util.Objects;
import reactor.core.publisher.Mono;

/** A run of a dataset's samples, renumbered from 0. */
final class SlicedDataset<T> implements Dataset<T>, Node<T> {

    private final Node<T> base;
    private final long from;
    private final long to;
    private final Fingerprint fingerprint;

    SlicedDataset(Node<T> base, long from, long to) {
        Objects.checkFromToIndex(from, to, base.pipeline().size());
        this.base = base;
        this.from = from;
        this.to = to;
        this.fingerprint = base.pipeline().fingerprint().with("slice " + from + " to " + to);
    }

    private long inBase(long index) {
        return from + Objects.checkIndex(index, to - from);
    }

    @Override
    public Object begin(Draw draw) {
        return base.begin(new Draw(draw.seed(), draw.epoch(), inBase(draw.index()), draw.next()));
    }

    @Override
    public long size() {
        return to - from;
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
        return base.key(inBase(index));
    }

    @Override
    public String name(long index) {
        return base.pipeline().name(inBase(index));
    }

    @Override
    public Pipeline<T> pipeline() {
        return this;
    }

    @Override
    public void report(RunStatistics.Tally tally) {
        base.report(tally);
    }

    @Override
    public String toString() {
        return base + "\nslice " + from + " to " + to;
    }
}
