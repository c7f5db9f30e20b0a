package io.penstock.cli.report;

import io.penstock.cli.console.Output;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A table, one row an epoch as it ends, and a verdict. */
public class TableReporter implements Reporter {

    private static final String HEAD =
            "epoch   samples  seconds  samples/s     MB/s  first batch    loads  hits ram hits disk   misses  skipped";

    private static final int MAX_CLASSES = 20;

    private final Output out;
    private final @Nullable Path quarantine;
    private boolean headed;

    /** @param quarantine the file that lists what was skipped, if there is one */
    public TableReporter(Output out, @Nullable Path quarantine) {
        this.out = out;
        this.quarantine = quarantine;
    }

    @Override
    public void started(Map<String, Integer> classes) {
        if (!classes.isEmpty()) {
            out.line(classes(classes));
        }
    }

    /** The classes and how many samples each has: the first of them, and how many there are. */
    public static String classes(Map<String, Integer> counts) {
        String first = counts.entrySet().stream()
                .limit(MAX_CLASSES)
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(", "));
        return "%d %s: %s%s"
                .formatted(
                        counts.size(),
                        counts.size() == 1 ? "class" : "classes",
                        first,
                        counts.size() > MAX_CLASSES ? ", …" : "");
    }

    @Override
    public void epoch(EpochReport report) {
        EpochReport.Digests digests = report.digests();
        if (!headed) {
            out.line(digests == null ? HEAD : HEAD + "  order digest      content digest");
            headed = true;
        }
        String digested = digests == null ? "" : "  %016x  %016x".formatted(digests.order(), digests.content());
        out.line(row(report) + digested + otherHits(report) + verified(report));
        EpochReport.Packed packed = report.packed();
        if (packed != null) {
            out.line(String.format(
                    Locale.ROOT,
                    "      %9d tokens, %.2f %% of the cells of their rows",
                    packed.tokens(),
                    100.0 * packed.tokens() / packed.cells()));
        }
        report.sources().forEach(each -> out.line(ofSource(each)));
    }

    private static String ofSource(EpochReport.OfSource source) {
        String hits = source.found().hits().entrySet().stream()
                .map(tier -> ", %d hits %s".formatted(tier.getValue(), tier.getKey()))
                .collect(Collectors.joining());
        return "      %9d of %s, %d loads%s"
                .formatted(source.samples(), source.source(), source.found().loads(), hits);
    }

    private static String row(EpochReport report) {
        return String.format(
                Locale.ROOT,
                "%5d %9d %8.2f %10.0f %8.1f %10.3f s %8d %9d %9d %8d %8d",
                report.epoch(),
                report.samples(),
                report.seconds(),
                report.samplesPerSecond(),
                report.bytesPerSecond() / 1e6,
                report.firstBatchSeconds(),
                report.statistics().loads(),
                report.statistics().hits().getOrDefault("ram", 0L),
                report.statistics().hits().getOrDefault("disk", 0L),
                report.statistics().misses(),
                report.statistics().skipped());
    }

    private static String otherHits(EpochReport report) {
        return report.statistics().hits().entrySet().stream()
                .filter(entry ->
                        !entry.getKey().equals("ram") && !entry.getKey().equals("disk"))
                .map(entry -> "  hits " + entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining());
    }

    private static String verified(EpochReport report) {
        long verified = report.statistics().verified();
        return verified == 0
                ? ""
                : "  verified %d, %d differ"
                        .formatted(verified, report.statistics().differing());
    }

    @Override
    public void headroom(Headroom.Report report, String consumer) {
        out.line(String.format(
                Locale.ROOT,
                "headroom: the consumer alone (%s) takes %,.0f samples/s, %d batches repeatedly",
                consumer,
                report.samplesPerSecond(),
                report.batches()));
    }

    @Override
    public void done(RunReport report) {
        if (report.skipped() > 0) {
            String where = quarantine == null
                    ? "; name a file with --quarantine to have them listed"
                    : ", listed in " + quarantine;
            out.line("skipped: " + report.skipped() + " samples" + where);
        }
        out.line("verdict: " + report.verdict());
    }
}
