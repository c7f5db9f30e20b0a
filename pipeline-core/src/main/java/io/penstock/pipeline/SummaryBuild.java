package io.penstock.pipeline;

import io.penstock.cache.SampleKey;
import io.penstock.internal.FileWork;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.internal.index.IndexFolder;
import io.penstock.internal.index.Selection;
import io.penstock.internal.index.Summaries;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Scheduler;

/**
 * Summarises a dataset part by part. A part has neighbours of one state, such as the rows of one file. Parts are cut by the
 * data alone and merged in their order, so the result depends neither on the parallelism nor on which parts were known.
 */
record SummaryBuild<T, S>(Stage<T> input, String stage, Summary<? super T, S> summary, Indexing indexing) {

    /** The samples of a part and of a job at most. */
    private static final int MOST = 8192;

    /** Summaries that a job makes ahead of the merge. */
    private static final int AHEAD = 64;

    private static final long TICK = TimeUnit.SECONDS.toNanos(1);

    Mono<S> run() {
        Path folder = indexing.folder;
        return folder == null
                ? Mono.defer(() -> new Pass(null, () -> {}).run(GuardedScheduler.ELASTIC))
                : IndexThread.using(
                        () -> IndexFolder.open(folder, stage, input.fingerprint()),
                        (open, thread) -> IndexThread.run(thread, open::summaries)
                                .flatMap(kept -> new Pass(kept, () -> open.finish(kept)).run(thread)));
    }

    /** The samples of {@code [first, end)}. */
    private record Part(long first, long end, SampleKey key) {}

    private record Summarised<S>(S summary, long samples, boolean known) {}

    private final class Pass {

        private final @Nullable Summaries kept;
        private final Runnable ended;
        private final S total = summary.empty();
        private long examined;
        private long found;
        private volatile boolean complete = true;
        private long lastTick = System.nanoTime();

        /** @param ended after all samples, if none was skipped */
        Pass(@Nullable Summaries kept, Runnable ended) {
            this.kept = kept;
            this.ended = ended;
        }

        Mono<S> run(Scheduler thread) {
            int atOnce = Runtime.getRuntime().availableProcessors();
            return Flux.generate(() -> part(0), this::nextJob)
                    .subscribeOn(GuardedScheduler.ELASTIC)
                    .flatMapSequential(
                            parts -> kept != null && isKnown(parts.get(0)) ? read(parts, kept) : loaded(parts),
                            atOnce,
                            AHEAD)
                    .publishOn(thread)
                    .doOnNext(Thrown.consumer(this::merge))
                    .then(IndexThread.run(thread, () -> {
                        progress();
                        if (complete) {
                            ended.run();
                        }
                        return total;
                    }));
        }

        private void merge(Summarised<S> part) {
            summary.merge(total, part.summary);
            examined += part.samples;
            found += part.known ? part.samples : 0;
            long now = System.nanoTime();
            if (now - lastTick >= TICK) {
                lastTick = now;
                if (kept != null) {
                    FileWork.run(keeping(), kept::flush);
                }
                progress();
            }
        }

        private void progress() {
            indexing.progress.accept(new Indexing.Progress(examined, found, input.size()));
        }

        private Flux<Summarised<S>> read(List<Part> parts, Summaries from) {
            return Flux.fromIterable(parts)
                    .map(Thrown.function(part -> {
                        byte[] bytes = FileWork.get(keeping(), () -> from.get(part.key));
                        FileWork.run(keeping(), () -> from.add(part.key, bytes));
                        return new Summarised<>(summary.read(bytes), part.end - part.first, true);
                    }))
                    .subscribeOn(GuardedScheduler.ELASTIC);
        }

        private Flux<Summarised<S>> loaded(List<Part> parts) {
            long first = parts.get(0).first;
            long end = parts.get(parts.size() - 1).end;
            Stage<T> samples = new SelectedDataset<>(input, Selection.Range.of(first, end, input.size()), "part");
            return samples.onError(indexing.policy).stream(Sampler.sequential(), indexing.execution)
                    .publishOn(GuardedScheduler.ELASTIC)
                    .handle(new Adding(parts)::add);
        }

        private String keeping() {
            return "cannot keep the summaries of \"%s\" in %s".formatted(stage, indexing.folder);
        }

        private boolean isKnown(Part part) {
            return kept != null && kept.has(part.key);
        }

        /** Cuts a job of neighbouring parts, which are all known or all not, and returns the part behind it. */
        private @Nullable Part nextJob(@Nullable Part first, SynchronousSink<List<Part>> sink) {
            if (first == null) {
                sink.complete();
                return null;
            }
            List<Part> parts = new ArrayList<>(List.of(first));
            Part next = part(first.end);
            while (next != null && isKnown(next) == isKnown(first) && next.end - first.first <= MOST) {
                parts.add(next);
                next = part(next.end);
            }
            sink.next(parts);
            return next;
        }

        /** The samples of a job become summaries of its parts. Called by one thread at a time. */
        private final class Adding {

            private final List<Part> parts;
            private int part;
            private boolean whole = true;
            private S current = summary.empty();

            Adding(List<Part> parts) {
                this.parts = parts;
            }

            void add(Sample<T> sample, SynchronousSink<Summarised<S>> sink) {
                try {
                    if (sample.isPresent()) {
                        summary.add(current, sample.value());
                    } else {
                        whole = false;
                    }
                } catch (Throwable e) {
                    sink.error(Thrown.ofSample(
                            stage,
                            sample.draw(),
                            at -> input.id(parts.get(0).first + at).name(),
                            e));
                    return;
                }
                Part at = parts.get(part);
                if (parts.get(0).first + sample.draw().index() + 1 == at.end) {
                    if (kept != null && whole) {
                        FileWork.run(keeping(), () -> kept.add(at.key, summary.write(current)));
                    }
                    complete &= whole;
                    sink.next(new Summarised<>(current, at.end - at.first, false));
                    whole = true;
                    current = summary.empty();
                    part++;
                }
            }
        }
    }

    /** The part that begins with a sample; null behind the last one. */
    private @Nullable Part part(long first) {
        if (first == input.size()) {
            return null;
        }
        SampleId id = input.id(first);
        List<String> state = id.state();
        SampleKey key = id.key();
        long end = first + 1;
        for (; end < input.size() && end - first < MOST; end++) {
            SampleId other = input.id(end);
            if (!other.state().equals(state)) {
                break;
            }
            key = key.with(other.key());
        }
        return new Part(first, end, key);
    }
}
