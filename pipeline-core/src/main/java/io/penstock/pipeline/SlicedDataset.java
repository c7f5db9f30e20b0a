package io.penstock.pipeline;

import io.penstock.cache.SampleKey;
import io.penstock.order.Draw;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** A run of a dataset's samples, renumbered from 0. */
final class SlicedDataset<T> extends Stage<T, T> implements Dataset<T> {

    private final long from;
    private final long to;

    SlicedDataset(Node<T> base, long from, long to) {
        super(base, base.pipeline().fingerprint().with("slice " + from + " to " + to));
        Objects.checkFromToIndex(from, to, base.pipeline().size());
        this.from = from;
        this.to = to;
    }

    private long inBase(long index) {
        return from + Objects.checkIndex(index, to - from);
    }

    @Override
    public Object begin(Draw draw) {
        return base.begin(draw.at(inBase(draw.index())));
    }

    @Override
    public Mono<String> unsteady(Draw draw, Function<? super T, ByteBuffer> finish) {
        return base.unsteady(draw.at(inBase(draw.index())), finish);
    }

    @Override
    public long size() {
        return to - from;
    }

    @Override
    public SampleKey key(long index) {
        return base.key(inBase(index));
    }

    @Override
    public List<String> state(long index) {
        return base.state(inBase(index));
    }

    @Override
    public String name(long index) {
        return super.name(inBase(index));
    }

    @Override
    public String toString() {
        return base + "\nslice " + from + " to " + to;
    }
}
