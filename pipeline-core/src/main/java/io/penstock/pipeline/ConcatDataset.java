package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draw;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Datasets one after another, numbered on. Samples keep their names and keys, so caches are shared. */
final class ConcatDataset<T> extends Stage<T> implements Dataset<T> {

    private final List<Stage<T>> parts;

    /** Where each part begins, and the size of all. */
    private final long[] starts;

    ConcatDataset(List<Stage<T>> parts) {
        super(fingerprint(parts), parts.toArray(Stage<?>[]::new));
        this.parts = parts;
        this.starts = new long[parts.size() + 1];
        for (int part = 0; part < parts.size(); part++) {
            starts[part + 1] = Math.addExact(starts[part], parts.get(part).size());
        }
    }

    @SuppressWarnings("unchecked") // a dataset only gives samples
    static <T> Stage<T> stage(Dataset<? extends T> part) {
        return Stage.of((Dataset<T>) part);
    }

    private static Fingerprint fingerprint(List<? extends Stage<?>> parts) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("cannot concatenate no dataset; name one at least");
        }
        Fingerprint all = Fingerprint.of("concat of " + parts.size());
        for (Stage<?> part : parts) {
            all = all.with("part").with(part.fingerprint());
        }
        return all;
    }

    /** The part that an index lies in. */
    private int part(long index) {
        Objects.checkIndex(index, size());
        int found = Arrays.binarySearch(starts, index);
        if (found < 0) {
            return -found - 2;
        }
        while (starts[found + 1] == index) { // parts without samples begin there, too
            found++;
        }
        return found;
    }

    /** The part of a draw. */
    Stage<T> stageOf(Draw draw) {
        return parts.get(part(draw.index()));
    }

    /** The draw of its part that this draw is. */
    Draw inPart(Draw draw) {
        return draw.at(draw.index() - starts[part(draw.index())]);
    }

    @Override
    Object begin(Draw draw) {
        int part = part(draw.index());
        return parts.get(part).begin(draw.at(draw.index() - starts[part]));
    }

    /** Begins the draws of each part together, so that a cache of one part is asked once for all of them. */
    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        int[] partOf = new int[draws.length];
        try {
            for (int i = 0; i < draws.length; i++) {
                partOf[i] = part(draws[i].index());
            }
        } catch (IndexOutOfBoundsException e) { // of one draw, so each begins by itself and fails by itself
            super.beginAll(draws, begun);
            return;
        }
        Draw[] some = new Draw[draws.length];
        int[] places = new int[draws.length];
        for (int part = 0; part < parts.size(); part++) {
            int count = 0;
            for (int i = 0; i < draws.length; i++) {
                if (partOf[i] == part) {
                    some[count] = draws[i].at(draws[i].index() - starts[part]);
                    places[count++] = i;
                }
            }
            if (count > 0) {
                Object[] its = new Object[count];
                parts.get(part).beginAll(Arrays.copyOf(some, count), its);
                for (int i = 0; i < count; i++) {
                    begun[places[i]] = its[i];
                }
            }
        }
    }

    @Override
    public long size() {
        return starts[parts.size()];
    }

    @Override
    public Fingerprint source() {
        return fingerprint();
    }

    @Override
    public SampleId id(long index) {
        int part = part(index);
        return parts.get(part).id(index - starts[part]);
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
