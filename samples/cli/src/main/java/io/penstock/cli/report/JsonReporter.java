package io.penstock.cli.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cli.console.Output;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;

/** One JSON object a line, and nothing else. */
public final class JsonReporter implements Reporter {

    private final Output out;
    private final boolean hitsVerified;
    private Map<String, Integer> classes = Map.of();

    /** @param hitsVerified whether hits are loaded again, so that what came of it is to be said */
    public JsonReporter(Output out, boolean hitsVerified) {
        this.out = out;
        this.hitsVerified = hitsVerified;
    }

    @Override
    public void started(Map<String, Integer> found) {
        classes = found;
    }

    @Override
    public void epoch(EpochReport report) {
        out.line(epoch(report, hitsVerified).toString());
    }

    public static ObjectNode epoch(EpochReport report, boolean hitsVerified) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("event", "epoch")
                .put("epoch", report.epoch())
                .put("samples", report.samples())
                .put("batches", report.batches())
                .put("bytes", report.bytes())
                .put("seconds", rounded(report.seconds(), 6))
                .put("samples_per_second", rounded(report.samplesPerSecond(), 1))
                .put("first_batch_seconds", rounded(report.firstBatchSeconds(), 6))
                .put("loads", report.statistics().loads());
        ObjectNode hits = node.putObject("hits").put("ram", 0L).put("disk", 0L);
        report.statistics().hits().forEach(hits::put);
        node.put("misses", report.statistics().misses())
                .put("skipped", report.statistics().skipped());
        if (hitsVerified) {
            node.put("verified", report.statistics().verified())
                    .put("differing", report.statistics().differing());
        }
        EpochReport.Digests digests = report.digests();
        if (digests != null) {
            node.put("order_digest", hex(digests.order())).put("content_digest", hex(digests.content()));
        }
        EpochReport.Packed packed = report.packed();
        if (packed != null) {
            node.put("rows", report.samples()).put("tokens", packed.tokens()).put("cells", packed.cells());
        }
        if (!report.sources().isEmpty()) {
            ArrayNode sources = node.putArray("sources");
            report.sources().forEach(each -> source(each, sources.addObject()));
        }
        return node;
    }

    private static void source(EpochReport.OfSource source, ObjectNode node) {
        node.put("source", source.source())
                .put("samples", source.samples())
                .put("loads", source.found().loads());
        source.found().hits().forEach(node.putObject("hits")::put);
        node.put("misses", source.found().misses());
    }

    @Override
    public void batch(BatchReport report) {
        out.event("batch", node -> {
            node.put("step", report.step()).put("epoch", report.epoch()).put("samples", report.samples());
            if (report.content() != null) {
                node.put("content_digest", hex(report.content()));
            }
            node.put("resume", report.resume().toString());
        });
    }

    @Override
    public void done(RunReport report) {
        out.event("done", node -> {
            node.put("epochs", report.epochs())
                    .put("seconds", rounded(report.seconds(), 6))
                    .put("resume", report.resume().toString())
                    .put("verdict", report.verdict())
                    .put("in_flight", report.inFlight().max())
                    .put("in_flight_by", report.inFlight().by().name().toLowerCase(Locale.ROOT));
            if (!classes.isEmpty()) {
                classes.forEach(node.putObject("classes")::put);
            }
            if (report.shard() != null) {
                shard(report.shard(), node.putObject("shard"));
            }
            if (report.advice() != null) {
                advice(report.advice(), node.putObject("advice"));
            }
        });
    }

    @Override
    public void headroom(Headroom.Report report, String consumer) {
        out.event(
                "headroom",
                node -> node.put("consumer", consumer)
                        .put("batches", report.batches())
                        .put("samples", report.samples())
                        .put("seconds", rounded(report.seconds(), 6))
                        .put("samples_per_second", rounded(report.samplesPerSecond(), 1)));
    }

    private static void shard(ShardEffect effect, ObjectNode node) {
        node.put("mode", effect.mode().toString())
                .put("rank", effect.rank())
                .put("world", effect.world())
                .put("samples", effect.samples())
                .put("held", effect.held())
                .put("hit_ratio", rounded(effect.hitRatio(), 4))
                .put("hit_ratio_global", rounded(effect.global(), 4))
                .put("hit_ratio_stable", rounded(effect.stable(), 4));
    }

    private static void advice(Advice advice, ObjectNode node) {
        node.put("enough_share", rounded(advice.enoughShare(), 4)).put("enough_bytes", advice.enoughBytes());
        ArrayNode budgets = node.putArray("budgets");
        for (Advice.Budget budget : advice.budgets()) {
            budgets.addObject()
                    .put("cache", budget.name())
                    .put("bytes", budget.bytes())
                    .put("share", rounded(budget.share(), 4))
                    .put("epoch_seconds", rounded(budget.seconds(), 6));
        }
    }

    private static String hex(long digest) {
        return "%016x".formatted(digest);
    }

    public static double rounded(double value, int decimals) {
        return BigDecimal.valueOf(value)
                .setScale(decimals, RoundingMode.HALF_UP)
                .doubleValue();
    }
}
