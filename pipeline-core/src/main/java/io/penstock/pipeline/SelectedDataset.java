package io.penstock.pipeline;

import io.penstock.internal.index.Selection;
import io.penstock.order.Draw;

/** Some of a dataset's samples, renumbered from 0. They keep their names and keys. */
final class SelectedDataset<T> extends Stage<T> implements Dataset<T> {

    final Stage<T> input;
    private final Selection selection;
    private final String words;

    /** @param words what was selected: part of the fingerprint */
    SelectedDataset(Stage<T> input, Selection selection, String words) {
        super(input.fingerprint().with(words), input);
        this.input = input;
        this.selection = selection;
        this.words = words;
    }

    /** The draw of the input that this draw is. */
    Draw inInput(Draw draw) {
        return draw.at(selection.at(draw.index()));
    }

    @Override
    Object begin(Draw draw) {
        return input.begin(inInput(draw));
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        Draw[] above = new Draw[draws.length];
        try {
            for (int i = 0; i < draws.length; i++) {
                above[i] = inInput(draws[i]);
            }
        } catch (IndexOutOfBoundsException e) { // of one draw, so each begins by itself and fails by itself
            super.beginAll(draws, begun);
            return;
        }
        input.beginAll(above, begun);
    }

    @Override
    public long size() {
        return selection.size();
    }

    @Override
    public SampleId id(long index) {
        return input.id(selection.at(index));
    }

    @Override
    public String toString() {
        return input + "\n" + words;
    }
}
