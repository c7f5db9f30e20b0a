package io.penstock.cli.watch;

import static io.penstock.cli.report.JsonReporter.rounded;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a job does: a line for each process, and who holds the others up.
 *
 * @param isOver whether all have answered once and none does now
 */
record JobReport(List<Line> lines, Laggard laggard, boolean isOver) {

    private static final String ROW = "%-12s %-21s %9s %10s %7s %8s %8s %9s %9s %8s";
    private static final String HEAD = ROW.formatted(
            "rank", "address", "batches", "batches/s", "waits", "use ms", "make ms", "loads/s", "misses", "skipped");

    private static final String NONE = "-";

    /**
     * One process.
     *
     * @param window  null while it does not answer, or has answered once only
     * @param failure why it does not answer; null if it does
     */
    record Line(
            String name,
            String instance,
            long batches,
            @Nullable RankWindow window,
            @Nullable String failure) {

        private String text() {
            if (window == null) {
                return "%-12s %-21s %s"
                        .formatted(name, instance, failure == null ? "answers" : "no answer: " + failure);
            }
            return ROW.formatted(
                    name,
                    instance,
                    batches,
                    tenths(true, window.batchesPerSecond()),
                    window.hasWaits() ? Math.round(100 * window.waiting()) + " %" : NONE,
                    tenths(window.hasWaits(), window.millisOfUse()),
                    tenths(window.isServer(), window.millisOfMaking()),
                    tenths(true, window.loadsPerSecond()),
                    window.isCached() ? tenths(true, 100 * window.missing()) + " %" : NONE,
                    (long) window.counts().skipped());
        }

        private static String tenths(boolean isKnown, double figure) {
            return isKnown ? String.format(Locale.ROOT, "%.1f", figure) : NONE;
        }

        private void addTo(ObjectNode node) {
            node.put("name", name).put("address", instance);
            if (failure != null) {
                node.put("failure", failure);
            }
            if (window != null) {
                node.put("batches", batches)
                        .put("batches_per_second", rounded(window.batchesPerSecond(), 1))
                        .put("loads_per_second", rounded(window.loadsPerSecond(), 1))
                        .put("skipped", (long) window.counts().skipped());
                if (window.hasWaits()) {
                    node.put("waiting", rounded(window.waiting(), 3)).put("use_ms", rounded(window.millisOfUse(), 1));
                }
                if (window.isServer()) {
                    node.put("make_ms", rounded(window.millisOfMaking(), 1));
                }
                if (window.isCached()) {
                    node.put("missing", rounded(window.missing(), 3));
                }
            }
        }
    }

    static JobReport of(List<WatchedRank> ranks) {
        List<Line> lines = ranks.stream()
                .map(rank -> new Line(rank.name(), rank.instance(), rank.batches(), rank.window(), rank.failure))
                .toList();
        boolean isOver = ranks.stream().allMatch(rank -> rank.answered && rank.failure != null);
        return new JobReport(lines, laggard(lines), isOver);
    }

    private static Laggard laggard(List<Line> lines) {
        List<Line> silent = lines.stream().filter(line -> line.failure != null).toList();
        if (!silent.isEmpty()) {
            String words = silent.stream()
                    .map(line -> "%s does not answer (%s)".formatted(line.name, line.failure))
                    .collect(Collectors.joining("; "));
            return new Laggard(silent.size() == 1 ? silent.get(0).name : null, words);
        }
        List<RankWindow> windows = lines.stream()
                .map(Line::window)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        return windows.size() < lines.size() ? new Laggard(null, "reading for the first time") : Laggard.of(windows);
    }

    /** Whether none answers, although the job is not over. */
    boolean isSilent() {
        return !isOver && lines.stream().allMatch(line -> line.failure != null);
    }

    List<String> text() {
        List<String> text = new ArrayList<>(List.of(HEAD));
        lines.forEach(line -> text.add(line.text()));
        text.add(laggard.words());
        return text;
    }

    String json() {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("event", "ranks");
        ArrayNode all = node.putArray("ranks");
        lines.forEach(line -> line.addTo(all.addObject()));
        return node.put("slowest", laggard.rank()).put("words", laggard.words()).toString();
    }
}
