package io.penstock.cli.stream;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.cli.cache.LastWrites;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.LazySpec;
import io.penstock.cli.report.Surroundings;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SourceSpec;
import io.penstock.fault.SampleException;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.RunStatistics;
import io.penstock.quarantine.QuarantineFile;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/** What the flags of {@code stream} come to: a pipeline, its order, its threads, and what has to be closed after it. */
public final class StreamPlan<T> implements AutoCloseable {

    private static final double SENSIBLE_SHARE = 0.8;
    private static final int BATCH = 64;
    private static final Duration BACKOFF = Duration.ofMillis(100);

    private static final Logger LOG = LoggerFactory.getLogger(StreamPlan.class);

    private final Set<Long> failed = ConcurrentHashMap.newKeySet();
    private final LastWrites lastWrites = new LastWrites();
    private final Feed<T> feed;
    private final Pipeline<T> pipeline;
    private final RunStatistics beforeRun;
    private final Sampler sampler;
    private final Execution execution;
    private final ResumeToken token;
    private final StreamOptions options;
    private final StreamResources resources;

    private StreamPlan(StreamOptions options, Feed<T> feed, StreamResources resources, StreamOrder order) {
        this.options = options;
        this.feed = feed;
        this.resources = resources;
        // fail() too: it holds the source's figures, which a bare dataset would count again at every look
        this.pipeline = feed.pipeline().onError(policy(options, failure -> {
            failed.add(failure.index());
            QuarantineFile quarantine = resources.quarantine();
            if (quarantine != null) {
                quarantine.accept(failure);
            }
        }));
        this.beforeRun = pipeline.statistics(0);
        this.execution = execution(options, resources.pool());
        LazySpec lazy = options.lazyShard();
        this.sampler = order.sampler(
                pipeline,
                feed.parts(),
                lazy == null
                        ? null
                        : lazy.sized(
                                order.topology(),
                                resources.cache().found(),
                                CacheOptions.of(options).isOfFixedSize(),
                                pipeline.size(),
                                feed.cachedBytes()));
        requireBatch();
        batches(); // refuses fields that are not there, before anything is loaded
        this.token = ResumeToken.of(pipeline, sampler);
        MetricsPage metrics = resources.metrics();
        if (metrics != null) {
            metrics.show(pipeline, sampler.shard());
        }
    }

    /**
     * Opens the source and everything else that the flags name.
     * @throws IllegalArgumentException if the flags do not fit together
     * @throws io.penstock.fault.StoreException if the source cannot be opened
     */
    public static StreamPlan<?> of(StreamOptions options) {
        return of(options, null);
    }

    /**
     * The same, and shows how far it is.
     * @param terminal null shows nothing
     */
    static StreamPlan<?> of(StreamOptions options, @Nullable PrintWriter terminal) {
        return of(options, StreamResources::open, terminal);
    }

    /** The same for looking at it beside the run: without the files and ports that a run writes and serves. */
    public static StreamPlan<?> lookedAt(StreamOptions options) {
        return of(options, StreamResources::withoutOutputs, null);
    }

    private static StreamPlan<?> of(
            StreamOptions options, Function<StreamOptions, StreamResources> opener, @Nullable PrintWriter terminal) {
        requireConsistent(options);
        StreamOrder order = StreamOrder.of(options);
        StreamResources resources = opener.apply(options);
        try {
            Feed<?> feed = Feed.open(options, resources.cache(), measuring(options, resources.quarantine()), terminal);
            return of(options, feed, resources, order);
        } catch (RuntimeException | Error e) {
            resources.close();
            throw e;
        }
    }

    private static <T> StreamPlan<T> of(
            StreamOptions options, Feed<T> feed, StreamResources resources, StreamOrder order) {
        return new StreamPlan<>(options, feed, resources, order);
    }

    private static void requireConsistent(StreamOptions options) {
        if (options.batchEvents() && !options.json()) {
            throw new IllegalArgumentException("--batch-events needs --json");
        }
        boolean fails = options.onError() == Flags.OnError.FAIL;
        if (fails && (options.errorBudget() != null || options.quarantine() != null)) {
            throw new IllegalArgumentException("--error-budget and --quarantine need --on-error skip or substitute");
        }
        CacheOptions.of(options).requireConsistent(options);
        TextOptions.of(options).requireConsistent(options);
        PlannedBatches.requireConsistent(options);
        if (options.withIndices() && options.onError() == Flags.OnError.SUBSTITUTE) {
            throw new IllegalArgumentException(
                    "--with-indices and --on-error substitute exclude each other: a substitute has another index than its draw");
        }
        if (options.metricsHost() != null && options.metricsPort() == null) {
            throw new IllegalArgumentException("--metrics-host needs --metrics-port");
        }
    }

    /** A run that has no batch in any epoch is refused before it loads anything. */
    private void requireBatch() {
        Draws draws = sampler.draws(pipeline.size());
        long inEpoch = Math.min(draws.count(), draws.count(draws.start().epoch()));
        if (remainder() == Remainder.DROP
                && draws.start().equals(new Position(draws.start().epoch(), 0))
                && draws.start().epoch() < sampler.epochs()
                && pipeline.size() > 0
                && inEpoch < drawsABatch()) {
            throw new IllegalArgumentException(
                    ("--remainder drop leaves no batch: rank %d of %d has %d samples an epoch, and a batch is "
                                    + "%d; take a smaller --batch, or --remainder keep or pad")
                            .formatted(sampler.shard().rank(), sampler.shard().worldSize(), inEpoch, drawsABatch()));
        }
    }

    private static ErrorPolicy policy(StreamOptions options, Consumer<SampleException> quarantine) {
        return policy(
                options,
                switch (options.onError()) {
                    case FAIL -> ErrorPolicy.fail();
                    case SKIP -> ErrorPolicy.skip();
                    case SUBSTITUTE -> ErrorPolicy.substitute();
                },
                quarantine);
    }

    /** The policy while samples are measured, where none takes the place of another. */
    private static ErrorPolicy measuring(StreamOptions options, @Nullable QuarantineFile quarantine) {
        return policy(
                options,
                options.onError() == Flags.OnError.FAIL ? ErrorPolicy.fail() : ErrorPolicy.skip(),
                quarantine == null ? failure -> {} : quarantine);
    }

    private static ErrorPolicy policy(StreamOptions options, ErrorPolicy policy, Consumer<SampleException> quarantine) {
        if (options.errorBudget() != null) {
            policy = options.errorBudget().of(policy);
        }
        return policy.quarantine(quarantine).retry(options.retries(), BACKOFF);
    }

    private static Execution execution(StreamOptions options, @Nullable Scheduler pool) {
        Execution execution = Execution.standard();
        if (pool != null && options.workers() != null) {
            execution = execution.workers(pool, options.workers());
        }
        if (options.unordered() != null) {
            execution = execution.window(options.unordered());
        }
        return options.inFlight() == null ? execution : execution.inFlight(options.inFlight());
    }

    public Pipeline<T> pipeline() {
        return pipeline;
    }

    public Feed<T> feed() {
        return feed;
    }

    public Sampler sampler() {
        return sampler;
    }

    /** How many draws an epoch has, over all ranks. */
    long samplesAnEpoch() {
        return sampler.samples(pipeline.size());
    }

    Execution execution() {
        return execution;
    }

    /** The samples of this rank, loaded ahead as far as the flags allow. */
    Flux<Sample<T>> samples() {
        return samples(sampler);
    }

    /** The same in another order. */
    public Flux<Sample<T>> samples(Sampler order) {
        ByteSize ahead = options.prefetchBytes();
        if (ahead == null) {
            return pipeline.stream(order, execution);
        }
        long bytes = ahead.isShare()
                ? (long) (ahead.share()
                        * RamTier.freeBytes()
                                .orElseThrow(() -> new IllegalArgumentException(
                                        "the free memory is unknown here: give --prefetch-bytes in bytes")))
                : ahead.bytes();
        return pipeline.stream(order, execution, feed.rows().readAhead(bytes));
    }

    /** The draw that was delivered for another which was loaded: itself, or what took its place. */
    public Draw delivered(Draw draw) {
        Draw now = draw;
        for (int attempt = 1; failed.contains(now.index()) && attempt <= ErrorPolicy.SUBSTITUTES; attempt++) {
            now = ErrorPolicy.substituteFor(draw, attempt, pipeline.size());
        }
        return now;
    }

    StreamOptions options() {
        return options;
    }

    /** The batches, with the consumer's waits on the page of counts, if one was asked for. */
    public Flux<Batch> measured(Flux<Batch> batches) {
        MetricsPage metrics = resources.metrics();
        return named(metrics == null ? batches : metrics.measure(batches));
    }

    /** One batch that was asked for by its number, with the time it takes on the page of counts. */
    public Flux<Batch> measuredNumbered(Flux<Batch> batch) {
        MetricsPage metrics = resources.metrics();
        return named(metrics == null ? batch : metrics.measureNumbered(batch));
    }

    private Flux<Batch> named(Flux<Batch> batches) {
        return batches.onErrorMap(
                IllegalArgumentException.class, refusal -> BatchForm.named(options, refusal, pipeline));
    }

    /** Where the page of counts is, if one was asked for. */
    public @Nullable String metrics() {
        MetricsPage metrics = resources.metrics();
        return metrics == null ? null : metrics.address();
    }

    /** Whether each draw is a batch that was planned. */
    public boolean isGrouped() {
        return PlannedBatches.flag(options) != null;
    }

    /** How many draws a batch has. */
    public int drawsABatch() {
        return isGrouped() ? 1 : batch(options);
    }

    /** How many samples a batch has, unless it is planned otherwise. */
    static int batch(StreamOptions options) {
        return Objects.requireNonNullElse(options.batch(), BATCH);
    }

    /** How samples are stacked, for one subscription. */
    public Batches<T> batches() {
        return BatchForm.batches(options, feed.rows(), drawsABatch());
    }

    /** What becomes of batches that an epoch cuts short. */
    public Remainder remainder() {
        return options.remainder();
    }

    /** What the bytes of its batches depend on, by name. */
    public Map<String, String> words() {
        List<String> source = pipeline.source().words();
        List<String> stages = pipeline.fingerprint().words();
        return Map.of(
                "source",
                pipeline.source().hex(),
                "stages",
                String.join(", ", stages.subList(Math.min(source.size(), stages.size()), stages.size())),
                "order",
                sampler.order()
                        + sampler.mixture().map(weights -> " of " + weights).orElse(""),
                "seed",
                Long.toString(sampler.seed()),
                "epochs",
                sampler.epochs() + " of " + samplesAnEpoch() + " samples",
                "shard",
                sampler.resolvedMode().toString(),
                "batch",
                drawsABatch() + ", " + BatchForm.words(options),
                "on error",
                options.onError().toString());
    }

    /** The token of a position of this plan. */
    public ResumeToken token(Position at) {
        return token.at(at);
    }

    /**
     * The position of a token of this plan.
     * @throws IllegalArgumentException if it is another plan's, saying what differs
     */
    public Position position(ResumeToken token) {
        return token.resume(sampler, pipeline).start();
    }

    /** The counts of an epoch so far. Loads before the run, which count for the first epoch, are left out. */
    RunStatistics statistics(long epoch) {
        RunStatistics counted = pipeline.statistics(epoch);
        return Cacheable.Part.named(
                epoch == 0 ? counted.since(beforeRun) : counted, feed.base().parts());
    }

    /** What a verdict needs to know of this plan, now, and of an epoch whose threads took this much processor time. */
    Surroundings surroundings(double processing) {
        Cache cache = resources.cache().found();
        return new Surroundings(
                pipeline.size(),
                execution.parallelism(),
                Runtime.getRuntime().availableProcessors(),
                execution.inFlight(),
                feed.cachedBytes() * pipeline.size(),
                roomForACache(),
                resources.diskBytes(),
                feed.randomStages(),
                cache == null ? null : Surroundings.Held.of(cache.statistics()),
                options.sources().stream().anyMatch(SourceSpec::isRemote) ? SourceSpec.CONNECTIONS : 0,
                processing);
    }

    /** What a RAM cache could sensibly have; 0 where the system does not say. */
    public static long roomForACache() {
        return (long) (SENSIBLE_SHARE * RamTier.freeBytes().orElse(0));
    }

    /** Waits a moment until what goes to disk has been written, if anything does. */
    void awaitLastWrites() {
        if (resources.disk() != null && !lastWrites.await()) {
            LOG.warn("the disk cache had no time to write everything; the next run loads the rest again");
        }
    }

    @Override
    public void close() {
        resources.close();
        lastWrites.done();
    }
}
