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

/** Takes what a run delivers, to its end, to {@code --stop-after}, or until a signal comes. */
final class StreamRun<T> {

    private static final int HEADROOM_BATCHES = 8;

    private final Run<T> run;
    private final RunFlags ending;
    private final @Nullable Path resumeFile;
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

    /**
     * @param resumeFile keeps the token of what was received; null where none does
     * @param terminal   whether {@code err} is one
     */
    StreamRun(
            Run<T> run,
            RunFlags ending,
            @Nullable Path resumeFile,
            Reporter reporter,
            PrintWriter err,
            boolean terminal) {
        this.run = run;
        this.ending = ending;
        this.resumeFile = resumeFile;
        this.reporter = reporter;
        this.err = err;
        this.progress = new ProgressLine(
                err, terminal, run.sampler().draws(run.pipeline().size()).count());
        this.digests = digests(ending.digest, run.feed().parts());
        this.log =
                new EpochLog(run.sampler().start(), System::nanoTime, run.facts()::statistics, digests, this::report);
    }

    boolean run() {
        reporter.started(run.feed().base().classes());
        progress.show("waiting for the first batch", 0, "samples", "");
        boolean ended = Interruption.run(
                stop -> batches()
                        .takeUntilOther(stop)
                        .doOnNext(Thrown.consumer(this::consume))
                        .then(),
                progress,
                () -> {},
                this::lastWord);
        if (!ended) {
            return false;
        }
        boolean cut = ending.stopAfter != null && log.batchesInAll() == ending.stopAfter;
        if (cut) {
            log.stopped();
        } else {
            log.completed(run.sampler().epochs());
        }
        if (resumeFile != null) {
            run.token(log.position()).save(resumeFile); // the end may lie behind the last batch
        }
        Optional<Headroom.Report> alone = ending.headroom ? headroom() : Optional.empty();
        Surroundings around = run.facts().surroundings(processing);
        Advice advice =
                lastLoading == null ? null : Advice.of(around, lastLoading).orElse(null);
        Optional<ShardEffect> shard = ShardEffect.of(run.sampler(), around);
        String verdict = verdict(around, advice)
                + shard.map(effect -> "; " + effect.words()).orElse("")
                + alone.map(report -> headroomWords(report)).orElse("");
        reporter.done(new RunReport(
                epochs,
                log.seconds(),
                run.token(log.position()),
                skipped,
                verdict,
                around.inFlight(),
                shard.orElse(null),
                advice));
        return true;
    }

    private DeliveredDigests<T> digests(boolean wanted, List<Cacheable.Part> parts) {
        return new DeliveredDigests<>(
                wanted, run.feed().rows(), parts, run.batching().draws());
    }

    /** Delivers the last batches again to a consumer like this run's, and says how fast it was. */
    private Optional<Headroom.Report> headroom() {
        boolean digested = ending.digest;
        DeliveredDigests<T> again = digests(digested, List.of());
        EpochLog received =
                new EpochLog(run.sampler().start(), System::nanoTime, run.facts()::statistics, again, report -> {});
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
        Integer stopAfter = ending.stopAfter;
        long draws = (run.sampler().epochs() - log.position().epoch()) * run.samplesAnEpoch()
                - log.position().offset();
        long most = (long) HEADROOM_BATCHES
                * run.batching().draws()
                * run.sampler().shard().worldSize();
        return draws <= most || stopAfter != null && log.batchesInAll() + HEADROOM_BATCHES >= stopAfter;
    }

    private Flux<Batch> batches() {
        Flux<Batch> batches = run.measured(
                run.mixed(digests.noted(run.loads().apply(run.sampler())).transform(run.batches()), run.sampler()));
        Integer stopAfter = ending.stopAfter;
        return stopAfter == null ? batches : batches.take(stopAfter);
    }

    private void consume(Batch batch) {
        try (batch) {
            long before = content(batch.epoch());
            log.batch(batch, () -> received(batch, before));
            if (ending.headroom && isNearTheEnd()) {
                headroom.keep(batch, digests.last());
            }
        }
        if (progress.isDue()) {
            long epoch = Math.max(0, log.position().epoch() - (log.position().offset() == 0 ? 1 : 0));
            progress.show(
                    "epoch %d of %d".formatted(epoch + 1, run.sampler().epochs()),
                    run.batching().isPlanned() ? log.batchesInAll() : log.samplesInAll(),
                    run.batching().isPlanned() ? "batches" : "samples",
                    hits(run.facts().statistics(epoch)));
        }
    }

    /** Says that a batch was received, where that was asked for; only then, since a token costs a line or a file. */
    private void received(Batch batch, long contentBefore) {
        if (resumeFile == null && !ending.batchEvents) {
            return;
        }
        ResumeToken token = run.token(batch.next());
        if (resumeFile != null) {
            token.save(resumeFile);
        }
        if (ending.batchEvents) {
            Long content = ending.digest ? content(batch.epoch()) - contentBefore : null;
            reporter.batch(new BatchReport(log.batchesInAll() - 1, batch.epoch(), batch.size(), content, token));
        }
    }

    private long content(long epoch) {
        EpochReport.Digests so = ending.batchEvents ? digests.of(epoch) : null;
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
                    .formatted(words(run.sampler().start()), run.sampler().epochs());
        }
        if (log.samplesInAll() == 0) {
            return "nothing was delivered: %d samples over %d ranks leave no batch of %d with --remainder %s"
                    .formatted(
                            run.samplesAnEpoch(),
                            run.sampler().shard().worldSize(),
                            run.batching().draws(),
                            run.batching().remainder().name().toLowerCase(Locale.ROOT));
        }
        return Verdict.ofCounting(around, last)
                + (advice == null || last.statistics().loads() == 0 ? "" : "; " + advice.text());
    }

    private static String words(Position position) {
        return "epoch %d, sample %d".formatted(position.epoch(), position.offset());
    }

    private void lastWord() {
        progress.clear();
        run.awaitLastWrites();
        err.println("interrupted; to continue, repeat the command with --resume '" + run.token(log.position()) + "'");
        err.flush();
    }
}
