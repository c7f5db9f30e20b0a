package io.penstock.pipeline;

import io.penstock.internal.FileWork;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.index.Bits;
import io.penstock.internal.index.CountFile;
import io.penstock.internal.index.IndexFolder;
import io.penstock.internal.index.Known;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Counts something once for each sample of a dataset, and keeps the counts: whether a filter takes it, in how many parts
 * it expands, how long it is. A build that is kept in a folder has a thread of its own.
 */
record IndexBuild<T>(Stage<T> input, String stage, ToIntFunction<? super T> counter, Indexing indexing) {

    private static final long TICK = TimeUnit.SECONDS.toNanos(1);

    /**
     * The counts as bits, once all samples were examined.
     * @param unary as {@link Bits.Builder} has it
     */
    Mono<Bits> bits(boolean unary) {
        return counted(() -> new Bits.Builder(unary), Bits.Builder::count).map(Bits.Builder::build);
    }

    /** The counts by index, once all samples were examined. */
    Mono<int[]> counts() {
        if (input.size() > HeapLimit.MAX_ARRAY) {
            throw new IllegalArgumentException(
                    "cannot count \"%s\" of %,d samples into an array; count slices of the dataset"
                            .formatted(stage, input.size()));
        }
        return counted(() -> IntBuffer.allocate((int) input.size()), IntBuffer::put)
                .map(IntBuffer::array);
    }

    private <C> Mono<C> counted(Supplier<C> empty, ObjIntConsumer<C> add) {
        Path folder = indexing.folder;
        return folder == null
                ? Mono.defer(() -> new Count<>(new Known(), null, empty.get(), add).run(GuardedScheduler.ELASTIC))
                : IndexThread.using(
                        () -> IndexFolder.open(folder, stage, input.fingerprint()),
                        (open, thread) -> IndexThread.run(thread, () -> open.read(input.size(), empty, add))
                                .switchIfEmpty(Mono.defer(() -> counted(open, thread, empty, add))));
    }

    private <C> Mono<C> counted(IndexFolder folder, Scheduler thread, Supplier<C> empty, ObjIntConsumer<C> add) {
        return IndexThread.run(thread, () -> new Count<>(folder.known(), folder.create(), empty.get(), add))
                .flatMap(count -> count.run(thread)
                        .flatMap(counts -> IndexThread.run(thread, () -> {
                            if (count.file != null && count.complete) {
                                folder.finish(count.file);
                            }
                            return counts;
                        })));
    }

    private long key(long index) {
        return input.id(index).key().high();
    }

    private int checkedCount(T value) {
        int count = counter.applyAsInt(value);
        if (count < 0) {
            throw new IllegalArgumentException("a sample cannot have %d parts".formatted(count));
        }
        return count;
    }

    /** One pass over the samples. Called by one thread at a time. */
    private final class Count<C> {

        private final long size = input.size();
        private final String keeping = "cannot keep the index of \"%s\" in %s".formatted(stage, indexing.folder);
        private final C counts;
        private final ObjIntConsumer<C> add;
        private final Known known;
        private final @Nullable CountFile file;
        private long index;
        private long found;
        private boolean complete = true;
        private long lastTick = System.nanoTime();

        Count(Known known, @Nullable CountFile file, C empty, ObjIntConsumer<C> add) {
            this.known = known;
            this.file = file;
            this.counts = empty;
            this.add = add;
        }

        /** Loads what is not known, and takes the rest from the folder, in the order of the samples. */
        Mono<C> run(Scheduler thread) {
            Stage<T> unknown = known.isEmpty()
                    ? input
                    : new SelectedDataset<>(input, Bits.of(size, at -> known.get(key(at)) == Known.NOT), "unknown");
            return FunctionStage.over(unknown, StageFunction.map(stage, IndexBuild.this::checkedCount, unknown::id))
                    .onError(indexing.policy)
                    .stream(Sampler.sequential(), indexing.execution)
                    .publishOn(thread)
                    .doOnNext(this::examined)
                    .then(IndexThread.run(thread, () -> {
                        passKnown();
                        indexing.progress.accept(new Indexing.Progress(size, found, size));
                        return counts;
                    }));
        }

        private void examined(Sample<Integer> sample) {
            passKnown();
            if (sample.isPresent()) {
                add(sample.value());
            } else {
                complete = false;
                add.accept(counts, 0);
            }
            index++;
        }

        /** Takes the counts of those that are known, up to the next one that is not. */
        private void passKnown() {
            while (index < size && !known.isEmpty()) {
                int count = known.get(key(index));
                if (count == Known.NOT) {
                    return;
                }
                found++;
                add(count);
                index++;
            }
        }

        private void add(int count) {
            add.accept(counts, count);
            CountFile into = file;
            if (into != null) {
                FileWork.run(keeping, () -> into.add(key(index), count));
            }
            tick();
        }

        /** Once a second what was counted is written and told. */
        private void tick() {
            long now = System.nanoTime();
            if (now - lastTick >= TICK) {
                lastTick = now;
                if (file != null) {
                    FileWork.run(keeping, file::flush);
                }
                indexing.progress.accept(new Indexing.Progress(index + 1, found, size));
            }
        }
    }
}
