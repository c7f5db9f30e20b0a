package io.penstock.pipeline;

import io.penstock.cache.WithOrigin;
import io.penstock.internal.index.Bits;
import io.penstock.internal.index.Parts;
import io.penstock.internal.index.Selection;
import io.penstock.order.Draw;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Some of a dataset's samples, or parts of them, renumbered from 0. Samples keep their names and keys. */
final class SelectedDataset<T> extends Stage<T> implements Dataset<T> {

    final Stage<T> input;
    private final Selection selection;
    private final String words;

    /** @param words what was selected: part of the fingerprint */
    SelectedDataset(Stage<T> input, Selection selection, String words) {
        super(input.fingerprint().with(words), input);
        this.input = input;
        this.selection = selection instanceof Bits bits ? bits.compact() : selection;
        this.words = words;
    }

    /** The parts of a dataset's samples, each made by a function of the sample and the part's number. */
    static <A, R> Dataset<R> expanded(
            Stage<A> input, Parts parts, String stage, BiFunction<? super A, Integer, ? extends R> part) {
        Stage<A> samples = new SelectedDataset<>(input, parts, "parts of " + stage);
        return MappedDataset.mapped(samples, StageFunction.expand(stage, part, parts::part, samples::id));
    }

    /** The samples that a predicate took. An order over none of them would end at once, without a word. */
    static <T> Dataset<T> filtered(Stage<T> input, Bits taken, String stage, String words) {
        if (taken.size() == 0 && input.size() > 0) {
            throw new IllegalArgumentException(
                    "filter \"%s\" takes none of %,d samples; is its predicate right?".formatted(stage, input.size()));
        }
        return new SelectedDataset<>(input, taken, words);
    }

    /** The samples of a part of a split, or those of all other parts. */
    static <T> Dataset<T> part(Stage<T> input, byte[] parts, int part, boolean in, String words) {
        Bits bits = Bits.of(parts.length, index -> parts[(int) index] == part == in);
        return new SelectedDataset<>(input, bits, (in ? "part %d of " : "all but part %d of ").formatted(part) + words);
    }

    /** All parts of a split. */
    static <T> List<Dataset<T>> parts(Stage<T> input, byte[] parts, int count, String words) {
        return IntStream.range(0, count)
                .mapToObj(part -> part(input, parts, part, true, words))
                .toList();
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
        long[] indices = new long[draws.length];
        for (int i = 0; i < draws.length; i++) {
            indices[i] = draws[i].index();
        }
        try {
            selection.at(indices);
        } catch (IndexOutOfBoundsException e) { // of one draw, so each begins by itself and fails by itself
            super.beginAll(draws, begun);
            return;
        }
        Draw[] above = new Draw[draws.length];
        for (int i = 0; i < draws.length; i++) {
            above[i] = draws[i].at(indices[i]);
        }
        input.beginAll(above, begun);
    }

    @Override
    @Nullable Stage<WithOrigin<T>> withOrigin() {
        Stage<WithOrigin<T>> origins = input.withOrigin();
        return origins == null ? null : new SelectedDataset<>(origins, selection, words);
    }

    @Override
    T made(ByteBuffer origin, Draw draw) {
        return input.made(origin, inInput(draw));
    }

    @Override
    public Mono<Void> prefetch(long[] indices) {
        long[] above = indices.clone();
        selection.at(above);
        return input.prefetch(above);
    }

    @Override
    int part(long index) {
        return input.part(selection.at(index));
    }

    @Override
    public long size() {
        return selection.size();
    }

    @Override
    public SampleId id(long index) {
        SampleId id = input.id(selection.at(index));
        return selection instanceof Parts parts ? id.part(parts.part(index)) : id;
    }

    @Override
    @Nullable Schema<?> schema() {
        return input.schema();
    }

    @Override
    public String toString() {
        return "%s\n%s: %,d of %,d samples".formatted(input, words, size(), input.size());
    }
}
