package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import io.penstock.cli.report.EpochReport;
import io.penstock.cli.report.JsonReporter;
import io.penstock.cli.report.Verdict;
import io.penstock.cli.source.Cacheable;
import io.penstock.page.Show;
import io.penstock.pipeline.StageStatistics;
import io.penstock.stream.LoadsInFlight;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How a run does, as the page is told: one JSON object, in whose epochs stands what {@code --json} prints. */
final class LiveState implements Show {

    private final LiveRun run;
    volatile int ranks = 4; // that the order is shown for

    LiveState(LiveRun run) {
        this.run = run;
    }

    @Override
    public Frame after(long seen) {
        Reading now = run.reading();
        Reading earlier = run.earlier();
        EpochReport window = now.since(earlier);
        LiveRun.Progress progress = run.progress;
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("size", run.sampler.samples(run.feed.pipeline.size()))
                .put("paused", run.pace.isPaused())
                .put("pace_ms", run.pace.millis())
                .put("source", run.feed.health().word())
                .put("samples_per_second", JsonReporter.rounded(window.samplesPerSecond(), 1))
                .put("verdict", verdict(window));
        LoadsInFlight loads = run.feed.pipeline.loadsInFlight();
        node.put("in_flight", loads.max()).put("in_flight_by", loads.by().name().toLowerCase(Locale.ROOT));
        if (window.statistics().skipped() > 0) {
            Optional.ofNullable(run.lastFailure.get()).ifPresent(words -> node.put("last_failure", words));
        }
        totals(now, node.putObject("totals"));
        sources(now, earlier, window.seconds(), node.putArray("sources"));
        tiers(now, node.putArray("tiers"));
        ObjectNode recent =
                node.putObject("recent").put("misses", window.statistics().misses());
        window.statistics().hits().forEach(recent.putObject("hits")::put);
        stages(now, window, node.putArray("stages"));
        RankOrder.addTo(node.putObject("order"), run.sampler, progress.position(), run.feed.pipeline.size(), ranks);
        ArrayNode epochs = node.putArray("epochs");
        run.epochs.forEach(report -> epochs.add(JsonReporter.epoch(report, false)));
        long hung = run.gallery.addTo(node.putArray("pictures"), seen, run.feed.pipeline::name);
        return new Frame(node.toString(), hung);
    }

    private static void totals(Reading now, ObjectNode node) {
        node.put("samples", now.samples())
                .put("batches", now.batches())
                .put("loads", now.statistics().loads())
                .put("hits", hits(now))
                .put("misses", now.statistics().misses())
                .put("skipped", now.statistics().skipped());
    }

    /** What came of each source of a mixture, beside its share of the weights. */
    private void sources(Reading now, Reading earlier, double seconds, ArrayNode sources) {
        List<Cacheable.Part> parts = run.feed.parts;
        for (int i = 0; i < parts.size(); i++) {
            long samples = now.ofSources().get(i);
            double share = now.samples() == 0 ? 0 : (double) samples / now.samples();
            sources.addObject()
                    .put("source", parts.get(i).source())
                    .put("weight", JsonReporter.rounded(run.feed.weight(i), 4))
                    .put("share", JsonReporter.rounded(share, 4))
                    .put("samples", samples)
                    .put(
                            "samples_per_second",
                            JsonReporter.rounded((samples - earlier.ofSources().get(i)) / seconds, 1))
                    .put(
                            "passes",
                            JsonReporter.rounded((double) samples / parts.get(i).size(), 2));
        }
    }

    private static long hits(Reading reading) {
        return reading.statistics().hits().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private void tiers(Reading now, ArrayNode tiers) {
        for (Tier tier : run.feed.cache.tiers()) {
            TierStatistics held = tier.statistics();
            tiers.addObject()
                    .put("tier", tier.name())
                    .put("hits", now.statistics().hits().getOrDefault(tier.name(), 0L))
                    .put("samples", held.samples())
                    .put("bytes", held.bytes())
                    .put("capacity", held.capacity());
        }
    }

    /** Each stage with what it took in the last seconds and what waits before it or is in it now. */
    private void stages(Reading now, EpochReport window, ArrayNode stages) {
        List<Long> queues = new ArrayList<>(run.feed.waiting());
        long loading = queues.stream().mapToLong(Long::longValue).sum();
        long decoding = run.feed.decoding();
        // a draw is begun when it was looked up, and has passed all stages when it was augmented or skipped
        List<StageStatistics> passed = now.statistics().stages();
        long augmented = passed.get(passed.size() - 1).samples();
        long begun = hits(now) + now.statistics().misses();
        long augmenting = begun - augmented - now.statistics().skipped() - loading - decoding;
        queues.addAll(List.of(decoding, augmenting));
        for (int i = 0; i < window.statistics().stages().size(); i++) {
            StageStatistics stage = window.statistics().stages().get(i);
            stage(stages.addObject(), stage.name(), stage.samples() / window.seconds(), queues.get(i))
                    .put("ms", JsonReporter.rounded(millis(stage), 3));
        }
        stage(stages.addObject(), "consumer", window.samplesPerSecond(), augmented - now.samples())
                .put("ms", JsonReporter.rounded((double) run.pace.millis() / LiveRun.BATCH, 3));
    }

    private static ObjectNode stage(ObjectNode node, String name, double perSecond, long queue) {
        return node.put("name", name)
                .put("samples_per_second", JsonReporter.rounded(perSecond, 1))
                .put("queue", Math.max(0, queue));
    }

    private static double millis(StageStatistics stage) {
        return stage.samples() == 0 ? 0 : stage.time().toNanos() / 1e6 / stage.samples();
    }

    private String verdict(EpochReport window) {
        if (run.pace.isPaused()) {
            return "paused: the consumer takes nothing, so nothing is loaded once the batches ahead of it are full";
        }
        Breakable.Health health = run.feed.health();
        if (window.samples() == 0) {
            return health == Breakable.Health.WORKS
                    ? "no batch was taken in the last two seconds"
                    : "nothing is delivered: " + health.words();
        }
        if (run.isSourceUnasked(window)) {
            return health.words() + LiveRun.UNASKED;
        }
        long skipped = window.statistics().skipped();
        if (health == Breakable.Health.FAILS && skipped > 0) {
            return "%s: %d in the last two seconds, and %d delivered"
                    .formatted(health.words(), skipped, window.samples());
        }
        return Verdict.of(run.surroundings(), window);
    }
}
