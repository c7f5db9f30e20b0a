package io.penstock.cli.stream;

import io.penstock.cli.cache.LastWrites;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.flag.Flags.OnError;
import io.penstock.cli.flag.LazySpec;
import io.penstock.cli.report.Reporter;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.Picture;
import io.penstock.cli.source.SourceFlags;
import io.penstock.fault.SampleException;
import io.penstock.order.Sampler;
import io.penstock.order.Topology;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Pipeline;
import io.penstock.quarantine.QuarantineFile;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.Execution;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import reactor.core.scheduler.Scheduler;

/**
 * The flags of {@code stream}, and of the commands that look at its runs or serve them: a group for each part of a run,
 * which checks its flags and builds that part. The help lists them in the order in which they stand here.
 */
@Command(name = "penstock stream")
public final class StreamFlags {

    @Mixin
    private final SourceFlags source = new SourceFlags();

    @Mixin
    private final TextFlags texts = new TextFlags();

    @Mixin
    final CacheFlags caches = new CacheFlags();

    @Mixin
    private final OrderFlags order = new OrderFlags();

    @Mixin
    private final AugmentFlags augment = new AugmentFlags();

    @Mixin
    private final BatchFlags batches = new BatchFlags();

    @Mixin
    private final LoadFlags loads = new LoadFlags();

    @Mixin
    final ErrorFlags errors = new ErrorFlags();

    @Mixin
    private final MetricsFlags metrics = new MetricsFlags();

    @Mixin
    final RunFlags ending = new RunFlags();

    /** Flags that no command was given. */
    public static StreamFlags parse(String... flags) {
        StreamFlags read = new StreamFlags();
        SourceFlags.readBy(new CommandLine(read)).parseArgs(flags);
        return read;
    }

    /**
     * Opens the source and everything else that the flags name.
     * @throws IllegalArgumentException if the flags do not fit together
     * @throws io.penstock.fault.StoreException if the source cannot be opened
     */
    public Run<?> open() {
        return open(null);
    }

    /** The same, and shows how far it is on a terminal, if there is one. */
    Run<?> open(@Nullable PrintWriter terminal) {
        return open(false, failure -> {}, terminal);
    }

    /**
     * The same for looking at it beside the run: without the page and the file that a run serves and writes, and with a
     * cache only where a lazy shard asks it how much it holds.
     * @param failures told of samples that cannot be loaded
     */
    public Run<?> look(Consumer<SampleException> failures) {
        return open(true, failures, null);
    }

    private Run<?> open(boolean looking, Consumer<SampleException> failures, @Nullable PrintWriter terminal) {
        check();
        Topology topology = order.ranks.topology(order.localWorld);
        ResumeToken token = order.token(); // a broken one is said before a large folder is listed
        List<Runnable> closing = new ArrayList<>();
        try {
            RunMeters meters = looking ? null : metrics.open();
            if (meters != null) {
                closing.add(meters::close);
            }
            RunCache cache = new RunCache(
                    looking && order.lazyShard == null ? new CacheFlags() : caches,
                    meters == null ? shown -> shown : meters::show);
            closing.add(cache::close);
            QuarantineFile quarantine =
                    looking || errors.quarantine == null ? null : QuarantineFile.at(errors.quarantine);
            if (quarantine != null) {
                closing.add(quarantine::close);
            }
            Scheduler pool = loads.pool();
            if (pool != null) {
                closing.add(0, pool::dispose);
            }
            Feed<?> feed = feed(cache, errors.measuring(quarantine), terminal);
            Consumer<SampleException> told = quarantine == null ? failures : quarantine;
            return run(feed, cache, topology, token, loads.execution(pool), told, meters, closing);
        } catch (RuntimeException | Error e) {
            closing.forEach(Runnable::run);
            throw e;
        }
    }

    private void check() {
        errors.check();
        caches.check(order.lazyShard != null, source.mirror());
        texts.check(order);
        batches.check(texts, order, errors.onError);
        metrics.check();
        order.check(source.count());
    }

    private <T> Run<T> run(
            Feed<T> feed,
            RunCache cache,
            Topology topology,
            @Nullable ResumeToken token,
            Execution execution,
            Consumer<SampleException> told,
            @Nullable RunMeters meters,
            List<Runnable> closing) {
        // fail() too: it holds the source's figures, which a bare dataset would count again at every look
        Pipeline<T> pipeline = feed.pipeline().onError(errors.policy(told));
        RunFacts facts = new RunFacts(feed, pipeline, execution, cache, source.isRemote(), pipeline.statistics(0));
        LazySpec.Sized lazy = order.lazyShard == null
                ? null
                : order.lazyShard.sized(
                        topology,
                        cache.cache,
                        caches.isOfFixedSize(),
                        pipeline.size(),
                        feed.base().sampleBytes());
        Sampler draws = order.draws(feed.parts()).shard(topology.shard()).remainder(batches.remainderOfDraws());
        Sampler sampler = order.sampler(pipeline, draws, lazy, token);
        batches.requireOne(sampler, pipeline.size());
        batches.of(feed.rows()); // refuses fields that are not there, before anything is loaded
        batches.mixing(feed.rows().schema().names());
        if (meters != null) {
            meters.show(pipeline, sampler.shard());
        }
        LastWrites writes = new LastWrites();
        if (caches.directory() == null) {
            writes.done();
        }
        closing.add(writes::done);
        return new Run<>(
                feed,
                pipeline,
                sampler,
                drawn -> loads.samples(pipeline, drawn, execution, feed.rows()),
                batches,
                Map.of("batch", batches.toString(), "on error", errors.onError.toString()),
                ResumeToken.of(pipeline, sampler),
                facts,
                meters,
                source.hasTables(),
                writes,
                closing);
    }

    private Feed<?> feed(RunCache cache, ErrorPolicy measuring, @Nullable PrintWriter terminal) {
        return source.<Feed<?>>open(
                caches.directory(),
                texts.tokenizer(),
                pictures -> pictures(sized(pictures), cache),
                samples -> tensors(sized(samples), cache, measuring, terminal),
                rows -> rows(sized(rows), cache));
    }

    /** A lazy shard has to know how large samples are. */
    private <T> Cacheable<T> sized(Cacheable<T> samples) {
        return order.lazyShard != null ? samples.measured() : samples;
    }

    private Feed<?> pictures(Cacheable<Picture> pictures, RunCache cache) {
        if (batches.bucket != null) {
            throw new IllegalArgumentException(
                    "--bucket is for texts and other samples with a length; bring images to one size with --resize");
        }
        Feed<Picture> feed = augment.over(pictures, cache.over(pictures), source.resize(), batches.takesPlanes());
        return batches.batchClasses != null
                ? feed.grouped(batches.classes(pictures.labels()), pictures.schema())
                : feed;
    }

    private Feed<?> rows(Cacheable<Row> rows, RunCache cache) {
        batches.requireNoClasses();
        if (batches.isPlanned()) {
            throw new IllegalArgumentException(
                    "batches by length are for samples of one field: choose a column, as in parquet:FILE#text");
        }
        return augment.overRows(rows, cache.over(rows));
    }

    private Feed<?> tensors(
            Cacheable<Tensor> samples, RunCache cache, ErrorPolicy measuring, @Nullable PrintWriter terminal) {
        batches.requireNoClasses();
        if (augment.augment != null) {
            throw new IllegalArgumentException(
                    "--resize and --augment are for images; other samples are delivered as they are");
        }
        Dataset<Tensor> kept = cache.over(samples);
        if (texts.pack == null && !batches.isPlanned()) {
            return Feed.of(samples, kept, Map.of());
        }
        ProgressLine line = terminal == null ? null : new ProgressLine(terminal, true, kept.size());
        MeasuredLengths known = MeasuredLengths.measure(kept, caches.directory(), measuring, line);
        return texts.pack != null
                ? texts.packed(samples, known.samples(), known.each())
                : Feed.grouped(samples, known.samples(), batches.plan(known.each()));
    }

    /** Takes all that a run delivers. Blocks until it has ended; false if a signal ended it. */
    public <T> boolean deliver(Run<T> run, Reporter reporter, PrintWriter err, boolean terminal) {
        return new StreamRun<>(run, ending, order.resumeFile, reporter, err, terminal).run();
    }

    /** Whether the token to begin at is only in the file that a run keeps. */
    public boolean isResumedByFile() {
        return order.resumeFile != null && order.resume == null;
    }

    public boolean isUnordered() {
        return loads.unordered != null;
    }

    public boolean toleratesErrors() {
        return errors.onError != OnError.FAIL;
    }

    /** The first flag of those that only a run with one consumer, this program, can follow. */
    public Optional<String> ofStreamAlone() {
        Map<String, Boolean> given = new LinkedHashMap<>();
        given.put("--stop-after", ending.stopAfter != null);
        given.put("--digest", ending.digest);
        given.put("--headroom", ending.headroom);
        given.put("--resume-file", order.resumeFile != null);
        given.put("--batch-events", ending.batchEvents);
        given.put("--trace", ending.trace != null);
        given.put("--unordered", loads.unordered != null);
        return given.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
