package io.penstock.pipeline;

import io.penstock.order.Draw;
import java.util.Objects;

/** A range of a dataset's samples, renumbered from 0. */
final class SlicedDataset<T> extends Stage<T> implements Dataset<T> {

    final Stage<T> input;
    private final long from;
    private final long to;

    SlicedDataset(Stage<T> input, long from, long to) {
        super(input.fingerprint().with("slice " + from + " to " + to), input);
        Objects.checkFromToIndex(from, to, input.size());
        this.input = input;
        this.from = from;
        this.to = to;
    }

    /** The draw of the input that this draw is. */
    Draw inInput(Draw draw) {
        return draw.at(inInput(draw.index()));
    }

    private long inInput(long index) {
        return from + Objects.checkIndex(index, to - from);
    }

    @Override
    Object begin(Draw draw) {
        return input.begin(inInput(draw));
    }

    @Override
    public long size() {
        return to - from;
    }

    @Override
    public SampleId id(long index) {
        return input.id(inInput(index));
    }

    @Override
    public String toString() {
        return input + "\nslice " + from + " to " + to;
    }
}
