package io.penstock.cli.demo;

import io.penstock.batch.Batch;
import io.penstock.cli.console.Reason;
import io.penstock.cli.report.DeliveredDigests;
import io.penstock.cli.report.EpochLog;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.Surroundings;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SampleRows;
import io.penstock.cli.stream.RunFacts;
import io.penstock.fault.SampleException;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Streams pictures, epoch after epoch, to a consumer that takes its time, and keeps what a page shows of it. Everything
 * but {@link #run} may be called from any thread.
 */
final class LiveRun implements AutoCloseable {

    static final int BATCH = 32;

    /** Follows the state of a broken source that no sample comes from. */
    static final String UNASKED =
            "; nothing asks it now, because all samples come from the cache: press \"Drop the cache\" to see it";

    private static final SampleRows<Tensor> ROWS = new SampleRows.Single<>(Schema.tensor("pixels"));
    private static final long FIRST_PACE_MILLIS = 250;
    private static final int EPOCHS_KEPT = 20;
    private static final int READINGS_KEPT = 8;
    private static final Duration BETWEEN_READINGS = Duration.ofMillis(250);

    final LiveFeed feed;
    final Sampler sampler;
    private final DeliveredDigests<Tensor> delivered;
    private final Execution execution = Execution.standard();
    final ConsumerDelay pace = new ConsumerDelay(FIRST_PACE_MILLIS);
    final Gallery gallery = new Gallery(System::nanoTime);
    private final Consumer<EpochReport> reports;
    final Deque<EpochReport> epochs = new ConcurrentLinkedDeque<>(); // the last ones, oldest first
    private final Deque<Reading> readings = new ConcurrentLinkedDeque<>();
    final AtomicReference<@Nullable String> lastFailure = new AtomicReference<>();
    volatile Progress progress;

    /** How far the consumer has come, also in each source of a mixture. */
    record Progress(Position position, long samples, long batches, List<Long> ofSources) {}

    /** @param reports told of each epoch at its end, by the thread that runs */
    LiveRun(List<String> sources, List<Double> weights, Path directory, Consumer<EpochReport> reports) {
        this.feed = new LiveFeed(sources, weights, directory, this::skipped);
        this.sampler = feed.order.epochs(Integer.MAX_VALUE);
        this.delivered = new DeliveredDigests<>(false, ROWS, feed.parts, BATCH);
        this.progress = new Progress(Position.START, 0, 0, delivered.deliveredInAll());
        this.reports = reports;
        read();
    }

    void run(Mono<Void> stop) {
        EpochLog log = new EpochLog(
                Position.START,
                System::nanoTime,
                epoch -> Cacheable.Part.named(feed.pipeline.statistics(epoch), feed.parts),
                delivered,
                this::epochEnded);
        Disposable reader = Flux.interval(BETWEEN_READINGS, GuardedScheduler.PARALLEL)
                .onBackpressureDrop()
                .subscribe(i -> read());
        try {
            batches()
                    .takeUntilOther(stop.doOnTerminate(pace::release))
                    .doOnNext(Thrown.consumer(batch -> consume(log, batch)))
                    .blockLast();
        } finally {
            reader.dispose();
        }
    }

    private Flux<Batch> batches() {
        Flux<Sample<Tensor>> samples = feed.pipeline.stream(sampler, execution)
                .doOnNext(gallery::offer)
                .map(LiveRun::delivered);
        return delivered.noted(samples).transform(ROWS.batches(BATCH));
    }

    private static Sample<Tensor> delivered(Sample<Shown> sample) {
        return sample.isPresent()
                ? Sample.of(sample.draw(), sample.value().after().pixels().tensor())
                : Sample.absent(sample.draw());
    }

    private void consume(EpochLog log, Batch batch) {
        try (batch) {
            log.batch(batch, pace::hold); // training would take time, too
            progress = new Progress(batch.next(), log.samplesInAll(), log.batchesInAll(), delivered.deliveredInAll());
        }
    }

    private void epochEnded(EpochReport report) {
        keep(epochs, report, EPOCHS_KEPT);
        reports.accept(report);
    }

    /** Keeps the last ones; called by one thread at a time for each list. */
    private static <E> void keep(Deque<E> list, E last, int most) {
        list.addLast(last);
        if (list.size() > most) {
            list.removeFirst();
        }
    }

    private void skipped(SampleException failure) {
        lastFailure.set(Reason.of(failure));
    }

    private void read() {
        keep(readings, reading(), READINGS_KEPT);
    }

    Reading reading() {
        Progress now = progress; // first: what was delivered was loaded before
        return new Reading(
                System.nanoTime(),
                now.position().epoch(),
                now.samples(),
                now.batches(),
                now.ofSources(),
                Cacheable.Part.named(feed.pipeline.statistics(), feed.parts));
    }

    /** The counts of two seconds ago, or of the beginning. */
    Reading earlier() {
        return readings.getFirst();
    }

    /** Whether the source is broken, all that was looked up in this time came from the cache, and nothing waits for it. */
    boolean isSourceUnasked(EpochReport window) {
        return feed.health() != Breakable.Health.WORKS
                && window.statistics().misses() == 0
                && window.hits() > 0
                && feed.waiting().stream().allMatch(samples -> samples == 0);
    }

    Surroundings surroundings() {
        return new Surroundings(
                feed.pipeline.size(),
                execution.parallelism(),
                Runtime.getRuntime().availableProcessors(),
                feed.pipeline.loadsInFlight(),
                LiveFeed.SAMPLE_BYTES * feed.pipeline.size(),
                RunFacts.roomForACache(),
                0,
                Set.of(feed.augment.name()),
                Surroundings.Held.of(feed.cache.statistics()),
                0,
                0);
    }

    @Override
    public void close() {
        feed.close();
    }
}
