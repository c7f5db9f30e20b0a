package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.WithOrigin;
import io.penstock.internal.Arguments;
import io.penstock.internal.PartNumbers;
import io.penstock.order.Draw;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Datasets one after another, numbered on. Samples keep their names and keys, so caches are shared. */
final class ConcatDataset<T> extends Stage<T> implements Dataset<T> {

    private final List<Stage<T>> parts;
    private final PartNumbers numbers;

    ConcatDataset(List<Stage<T>> parts) {
        super(fingerprint(parts), parts.toArray(Stage<?>[]::new));
        this.parts = parts;
        this.numbers = new PartNumbers(parts.size(), part -> parts.get(part).size());
    }

    @SuppressWarnings("unchecked") // a dataset only gives samples
    static <T> Stage<T> stage(Dataset<? extends T> part) {
        return Stage.of((Dataset<T>) part);
    }

    private static Fingerprint fingerprint(List<? extends Stage<?>> parts) {
        Arguments.refuse(parts.isEmpty(), "cannot concatenate no dataset; name one at least");
        Fingerprint all = Fingerprint.of("concat of " + parts.size());
        for (Stage<?> part : parts) {
            all = all.with("part").with(part.fingerprint());
        }
        return all;
    }

    /** The part of a draw. */
    Stage<T> stageOf(Draw draw) {
        return parts.get(numbers.part(draw.index()));
    }

    /** The draw of its part that this draw is. */
    Draw inPart(Draw draw) {
        return draw.at(numbers.within(draw.index(), numbers.part(draw.index())));
    }

    @Override
    Object begin(Draw draw) {
        int part = numbers.part(draw.index());
        return parts.get(part).begin(draw.at(numbers.within(draw.index(), part)));
    }

    /** Begins the draws of each part together, so that a cache of one part is asked once for all of them. */
    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        int[] partOf = new int[draws.length];
        int[] ends = new int[parts.size() + 1]; // of each part's draws among those that are sorted by part
        try {
            for (int i = 0; i < draws.length; i++) {
                partOf[i] = numbers.part(draws[i].index());
                ends[partOf[i] + 1]++;
            }
        } catch (IndexOutOfBoundsException e) { // of one draw, so each begins by itself and fails by itself
            super.beginAll(draws, begun);
            return;
        }
        for (int part = 0; part < parts.size(); part++) {
            ends[part + 1] += ends[part];
        }
        Draw[] sorted = new Draw[draws.length];
        int[] places = new int[draws.length];
        for (int i = 0; i < draws.length; i++) {
            int place = ends[partOf[i]]++;
            sorted[place] = draws[i].at(numbers.within(draws[i].index(), partOf[i]));
            places[place] = i;
        }
        for (int from = 0; from < draws.length; ) {
            int part = partOf[places[from]];
            Draw[] its = Arrays.copyOfRange(sorted, from, ends[part]);
            Object[] itsBegun = new Object[its.length];
            parts.get(part).beginAll(its, itsBegun);
            for (Object one : itsBegun) {
                begun[places[from++]] = one;
            }
        }
    }

    /** Of all parts or none: one cache keeps the samples of all. */
    @Override
    @Nullable Stage<WithOrigin<T>> withOrigin() {
        List<Stage<WithOrigin<T>>> origins = new ArrayList<>();
        for (Stage<T> part : parts) {
            Stage<WithOrigin<T>> origin = part.withOrigin();
            if (origin == null) {
                return null;
            }
            origins.add(origin);
        }
        return new ConcatDataset<>(origins);
    }

    @Override
    T made(ByteBuffer origin, Draw draw) {
        return stageOf(draw).made(origin, inPart(draw));
    }

    @Override
    public Mono<Void> prefetch(long[] indices) {
        return Flux.range(0, parts.size())
                .concatMap(part -> parts.get(part)
                        .prefetch(Arrays.stream(indices)
                                .filter(index -> numbers.part(index) == part)
                                .map(index -> numbers.within(index, part))
                                .toArray()))
                .then();
    }

    @Override
    int parts() {
        return parts.size();
    }

    @Override
    int part(long index) {
        return numbers.part(index);
    }

    @Override
    public long size() {
        return numbers.size();
    }

    @Override
    public Fingerprint source() {
        return fingerprint();
    }

    @Override
    public SampleId id(long index) {
        int part = numbers.part(index);
        return parts.get(part).id(numbers.within(index, part));
    }

    @Override
    @Nullable Schema<?> schema() {
        return parts.get(0).schema();
    }

    @Override
    void report(RunStatistics.Tally tally) {
        for (int part = 0; part < parts.size(); part++) {
            tally.part(part, parts.get(part));
        }
    }

    @Override
    public String toString() {
        return parts.stream().map(part -> "(" + part + ")").collect(Collectors.joining(" and ", "concat of ", ""));
    }
}
