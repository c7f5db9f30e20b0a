package io.penstock.pipeline;

import io.penstock.fault.StoreException;
import io.penstock.internal.index.Bits;
import io.penstock.internal.index.CountFile;
import io.penstock.internal.index.IndexFolder;
import io.penstock.internal.index.Known;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts something once for each sample of a dataset, and keeps the counts: whether a filter takes it, in how many parts
 * it expands, how long it is.
 */
final class IndexBuild<T> {

    private static final long TICK = TimeUnit.SECONDS.toNanos(1);

    private final Stage<T> input;
    private final String stage;
    private final ToIntFunction<? super T> counter;
    private final Indexing indexing;
    private long lastTick = System.nanoTime();
    private boolean complete = true;

    IndexBuild(Stage<T> input, String stage, ToIntFunction<? super T> counter, Indexing indexing) {
        this.input = input;
        this.stage = stage;
        this.counter = counter;
        this.indexing = indexing;
    }

    /**
     * The counts as bits. Blocks until all samples were examined.
     * @param unary as {@link Bits.Builder} has it
     */
    Bits bits(boolean unary) {
        return counted(() -> new Bits.Builder(unary), Bits.Builder::count).build();
    }

    /** The counts by index. Blocks until all samples were examined. */
    int[] counts() {
        if (input.size() > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "cannot count \"%s\" of %,d samples into an array; count slices of the dataset"
                            .formatted(stage, input.size()));
        }
        return counted(() -> new Counts((int) input.size()), Counts::add).values;
    }

    /** Counts that are added one after another. */
    private static final class Counts {

        final int[] values;
        private int added;

        Counts(int size) {
            values = new int[size];
        }

        void add(int count) {
            values[added++] = count;
        }
    }

    /** All counts, added to what is empty. */
    private <C> C counted(Supplier<C> empty, ObjIntConsumer<C> add) {
        Path folder = indexing.folder();
        try {
            return folder == null ? count(new Known(), null, empty.get(), add) : kept(folder, empty, add);
        } catch (IOException e) {
            throw new StoreException(
                    "cannot keep the index of \"%s\" in %s: %s".formatted(stage, folder, e.getMessage()), e);
        }
    }

    private <C> C kept(Path path, Supplier<C> empty, ObjIntConsumer<C> add) throws IOException {
        try (IndexFolder folder = IndexFolder.open(path, stage, input.fingerprint())) {
            C kept = folder.read(input.size(), empty, add);
            if (kept != null) {
                return kept;
            }
            Known known = folder.known();
            try (CountFile file = folder.create()) {
                C counted = count(known, file, empty.get(), add);
                if (complete) {
                    folder.finish(file);
                }
                return counted;
            }
        }
    }

    private long key(long index) {
        return input.id(index).key().high();
    }

    private <C> C count(Known known, @Nullable CountFile file, C counts, ObjIntConsumer<C> add) throws IOException {
        long size = input.size();
        Stage<T> unknown = known.isEmpty()
                ? input
                : new SelectedDataset<>(input, Bits.of(size, index -> known.get(key(index)) == Known.NOT), "unknown");
        long fromFolder = size - unknown.size();
        long found = 0;
        try (Stream<Sample<Integer>> samples = StagedPipeline.over(
                        unknown, StageFunction.map(stage, this::checkedCount, unknown::id))
                .onError(indexing.policy())
                .stream(Sampler.sequential(), indexing.execution())
                .toStream()) {
            Iterator<Sample<Integer>> counted = samples.iterator();
            for (long index = 0; index < size; index++) {
                long key = file == null ? 0 : key(index);
                int count = file == null ? Known.NOT : known.get(key);
                if (count == Known.NOT) {
                    Sample<Integer> sample = counted.next();
                    if (!sample.isPresent()) {
                        complete = false;
                        add.accept(counts, 0);
                        continue;
                    }
                    count = sample.value();
                } else {
                    found++;
                }
                add.accept(counts, count);
                if (file != null) {
                    file.add(key, count);
                }
                tick(index + 1, found, file);
            }
        }
        indexing.progress().accept(new Indexing.Progress(size, fromFolder, size));
        return counts;
    }

    private int checkedCount(T value) {
        int count = counter.applyAsInt(value);
        if (count < 0) {
            throw new IllegalArgumentException("a count must not be negative, was %d".formatted(count));
        }
        return count;
    }

    /** Once a second what was counted is written and told. */
    private void tick(long examined, long known, @Nullable CountFile file) throws IOException {
        long now = System.nanoTime();
        if (now - lastTick >= TICK) {
            lastTick = now;
            if (file != null) {
                file.flush();
            }
            indexing.progress().accept(new Indexing.Progress(examined, known, input.size()));
        }
    }
}
