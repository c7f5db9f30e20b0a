package io.penstock.cli.stream;

import io.penstock.batch.Batch;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.report.Advice;
import io.penstock.cli.report.BatchReport;
import io.penstock.cli.report.DeliveredDigests;
import io.penstock.cli.report.EpochLog;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.Headroom;
import io.penstock.cli.report.ProcessorTime;
import io.penstock.cli.report.Reporter;
import io.penstock.cli.report.RunReport;
import io.penstock.cli.report.ShardEffect;
import io.penstock.cli.report.Surroundings;
import io.penstock.cli.report.Verdict;
import io.penstock.cli.source.Cacheable;
import io.penstock.internal.Thrown;
import io.penstock.order.Position;
import io.penstock.pipeline.RunStatistics;
import io.penstock.resume.ResumeToken;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Runs a plan once, to its end, to {@code --stop-after}, or until a signal comes. */
public final class StreamRun<T> {

    private static final int HEADROOM_BATCHES = 8;

    private final StreamPlan<T> plan;
    private final Reporter reporter;
    private final PrintWriter err;
    private final ProgressLine progress;
    private final DeliveredDigests<T> digests;
    private final EpochLog log;

    private final Headroom<T> headroom = new Headroom<>(HEADROOM_BATCHES);

    private final ProcessorTime processor = new ProcessorTime();

    private double processing;
    private @Nullable EpochReport last;
    private @Nullable EpochReport lastLoading;
    private long skipped;
    private long epochs;

    private StreamRun(StreamPlan<T> plan, Reporter reporter, PrintWriter err, boolean terminal) {
        this.plan = plan;
        this.reporter = reporter;
        this.err = err;
        this.progress = new ProgressLine(
                err, terminal, plan.sampler().draws(plan.pipeline().size()).count());
        this.digests = digests(plan.options().digest(), plan.feed().parts());
        this.log = new EpochLog(plan.sampler().start(), System::nanoTime, plan::statistics, digests, this::report);
    }

    /**
     * Blocks until the run has ended.
     * @param terminal whether {@code err} is one
     * @return false if a signal ended it
     */
    public static <T> boolean of(StreamPlan<T> plan, Reporter reporter, PrintWriter err, boolean terminal) {
        return new StreamRun<>(plan, reporter, err, terminal).run();
    }

    private boolean run() {
        reporter.started(plan.feed().base().classes());
        try (Interruption interruption = Interruption.watch(this::lastWord)) {
            progress.show("waiting for the first batch", 0, "samples", "");
            try {
                batches()
                        .takeUntilOther(interruption.stop())
                        .doOnNext(Thrown.consumer(this::consume))
                        .blockLast();
            } finally {
                progress.clear();
            }
            if (interruption.ended()) {
                return false;
            }
        }
        boolean cut = plan.options().stopAfter() != null
                && log.batchesInAll() == plan.options().stopAfter();
        if (cut) {
            log.stopped();
        } else {
            log.completed(plan.sampler().epochs());
        }
        Path file = plan.options().resumeFile();
        if (file != null) {
            plan.token(log.position()).save(file); // the end may lie behind the last batch
        }
        Optional<Headroom.Report> alone = plan.options().headroom() ? headroom() : Optional.empty();
        Surroundings around = plan.surroundings(processing);
        Advice advice =
                lastLoading == null ? null : Advice.of(around, lastLoading).orElse(null);
        Optional<ShardEffect> shard = ShardEffect.of(plan.sampler(), around);
        String verdict = verdict(around, advice)
                + shard.map(effect -> "; " + effect.words()).orElse("")
                + alone.map(report -> headroomWords(report)).orElse("");
        reporter.done(new RunReport(
                epochs, log.seconds(), plan.token(log.position()), skipped, verdict, shard.orElse(null), advice));
        return true;
    }

    private DeliveredDigests<T> digests(boolean wanted, List<Cacheable.Part> parts) {
        return new DeliveredDigests<>(wanted, plan.feed().rows(), parts, plan.drawsABatch());
    }

    /** Delivers the last batches again to a consumer like this run's, and says how fast it was. */
    private Optional<Headroom.Report> headroom() {
        boolean digested = plan.options().digest();
        DeliveredDigests<T> again = digests(digested, List.of());
        EpochLog received =
                new EpochLog(plan.sampler().start(), System::nanoTime, plan::statistics, again, report -> {});
        Optional<Headroom.Report> report = headroom.measure(
                (batch, samples) -> {
                    samples.forEach(again::sample);
                    received.batch(batch);
                },
                System::nanoTime);
        report.ifPresent(
                found -> reporter.headroom(found, digested ? "counting and digesting batches" : "counting batches"));
        return report;
    }

    private String headroomWords(Headroom.Report report) {
        double share = last == null || report.samplesPerSecond() <= 0
                ? 0
                : last.samplesPerSecond() / report.samplesPerSecond();
        return String.format(
                Locale.ROOT, "; the last epoch went at %.1f %% of what the consumer alone does", 100 * share);
    }

    /** Whether this is one of the last batches of the run, or nearly. */
    private boolean isNearTheEnd() {
        Integer stopAfter = plan.options().stopAfter();
        long draws = (plan.sampler().epochs() - log.position().epoch()) * plan.samplesAnEpoch()
                - log.position().offset();
        long most = (long) HEADROOM_BATCHES
                * plan.drawsABatch()
                * plan.sampler().shard().worldSize();
        return draws <= most || stopAfter != null && log.batchesInAll() + HEADROOM_BATCHES >= stopAfter;
    }

    private Flux<Batch> batches() {
        Flux<Batch> batches = plan.measured(digests.noted(plan.samples()).transform(plan.batches()));
        Integer stopAfter = plan.options().stopAfter();
        return stopAfter == null ? batches : batches.take(stopAfter);
    }

    private void consume(Batch batch) {
        try (batch) {
            long before = content(batch.epoch());
            log.batch(batch);
            received(batch, before);
            if (plan.options().headroom() && isNearTheEnd()) {
                headroom.keep(batch, digests.last());
            }
        }
        if (progress.isDue()) {
            long epoch = Math.max(0, log.position().epoch() - (log.position().offset() == 0 ? 1 : 0));
            progress.show(
                    "epoch %d of %d".formatted(epoch + 1, plan.sampler().epochs()),
                    plan.isGrouped() ? log.batchesInAll() : log.samplesInAll(),
                    plan.isGrouped() ? "batches" : "samples",
                    hits(plan.statistics(epoch)));
        }
    }

    /** Says that a batch was received, where that was asked for; only then, since a token costs a line or a file. */
    private void received(Batch batch, long contentBefore) {
        Path file = plan.options().resumeFile();
        if (file == null && !plan.options().batchEvents()) {
            return;
        }
        ResumeToken token = plan.token(batch.next());
        if (file != null) {
            token.save(file);
        }
        if (plan.options().batchEvents()) {
            Long content = plan.options().digest() ? content(batch.epoch()) - contentBefore : null;
            reporter.batch(new BatchReport(log.batchesInAll() - 1, batch.epoch(), batch.size(), content, token));
        }
    }

    private long content(long epoch) {
        EpochReport.Digests so = plan.options().batchEvents() ? digests.of(epoch) : null;
        return so == null ? 0 : so.content();
    }

    private static String hits(RunStatistics statistics) {
        long hits =
                statistics.hits().values().stream().mapToLong(Long::longValue).sum();
        long asked = hits + statistics.misses();
        return asked == 0 ? "" : String.format(Locale.ROOT, "hits %.0f %%", 100.0 * hits / asked);
    }

    private void report(EpochReport report) {
        double ofEpoch = processor.share();
        if (report.samples() > 0 || last == null) {
            last = report;
            processing = ofEpoch;
        }
        if (report.samples() > 0 && report.statistics().loads() > 0) {
            lastLoading = report;
        }
        epochs++;
        skipped += report.statistics().skipped();
        progress.clear();
        reporter.epoch(report);
    }

    private String verdict(Surroundings around, @Nullable Advice advice) {
        if (last == null) {
            return "nothing was left to do: %s is the end of %d epochs"
                    .formatted(words(plan.sampler().start()), plan.sampler().epochs());
        }
        if (log.samplesInAll() == 0) {
            return "nothing was delivered: %d samples over %d ranks leave no batch of %d with --remainder %s"
                    .formatted(
                            plan.samplesAnEpoch(),
                            plan.sampler().shard().worldSize(),
                            plan.drawsABatch(),
                            plan.options().remainder().name().toLowerCase(Locale.ROOT));
        }
        return Verdict.ofCounting(around, last)
                + (advice == null || last.statistics().loads() == 0 ? "" : "; " + advice.text());
    }

    private static String words(Position position) {
        return "epoch %d, sample %d".formatted(position.epoch(), position.offset());
    }

    private void lastWord() {
        progress.clear();
        plan.awaitLastWrites();
        for (String line : List.of(
                "interrupted; to continue, repeat the command with --resume '" + plan.token(log.position()) + "'")) {
            err.println(line);
        }
        err.flush();
    }
}
