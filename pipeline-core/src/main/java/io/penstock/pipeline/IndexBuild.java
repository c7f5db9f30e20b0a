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
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts something once for each sample of a dataset, and keeps the counts: whether a filter takes it, in how many parts
 * it expands.
 */
final class IndexBuild<T> {

    private static final long TICK = TimeUnit.SECONDS.toNanos(1);

    private final Stage<T> input;
    private final String stage;
    private final ToIntFunction<? super T> counter;
    private final boolean unary;
    private final Indexing indexing;
    private long lastTick = System.nanoTime();
    private boolean complete = true;

    /** @param unary as {@link Bits.Builder} has it */
    IndexBuild(Stage<T> input, String stage, ToIntFunction<? super T> counter, boolean unary, Indexing indexing) {
        this.input = input;
        this.stage = stage;
        this.counter = counter;
        this.unary = unary;
        this.indexing = indexing;
    }

    /** The counts as bits. Blocks until all samples were examined. */
    Bits bits() {
        Path folder = indexing.folder();
        try {
            return folder == null ? count(new Known(), null) : kept(folder);
        } catch (IOException e) {
            throw new StoreException(
                    "cannot keep the index of \"%s\" in %s: %s".formatted(stage, folder, e.getMessage()), e);
        }
    }

    private Bits kept(Path path) throws IOException {
        try (IndexFolder folder = IndexFolder.open(path, stage, input.fingerprint())) {
            Bits kept = folder.read(input.size(), unary);
            if (kept != null) {
                return kept;
            }
            Known known = folder.known();
            try (CountFile file = folder.create()) {
                Bits counted = count(known, file);
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

    private Bits count(Known known, @Nullable CountFile file) throws IOException {
        long size = input.size();
        Stage<T> unknown = known.isEmpty()
                ? input
                : new SelectedDataset<>(input, Bits.of(size, index -> known.get(key(index)) == Known.NOT), "unknown");
        Bits.Builder bits = new Bits.Builder(unary);
        long fromFolder = size - unknown.size();
        long found = 0;
        try (Stream<Sample<Integer>> samples = StagedPipeline.over(
                        unknown, StageFunction.map(stage, this::checkedCount, unknown::id))
                .onError(indexing.policy())
                .stream(Sampler.sequential(), indexing.execution())
                .toStream()) {
            Iterator<Sample<Integer>> counts = samples.iterator();
            for (long index = 0; index < size; index++) {
                long key = file == null ? 0 : key(index);
                int count = file == null ? Known.NOT : known.get(key);
                if (count == Known.NOT) {
                    Sample<Integer> sample = counts.next();
                    if (!sample.isPresent()) {
                        complete = false;
                        bits.count(0);
                        continue;
                    }
                    count = sample.value();
                } else {
                    found++;
                }
                bits.count(count);
                if (file != null) {
                    file.add(key, count);
                }
                tick(index + 1, found, file);
            }
        }
        indexing.progress().accept(new Indexing.Progress(size, fromFolder, size));
        return bits.build();
    }

    private int checkedCount(T value) {
        int count = counter.applyAsInt(value);
        if (count < 0) {
            throw new IllegalArgumentException("a sample cannot have %d parts".formatted(count));
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
