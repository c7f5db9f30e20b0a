package io.penstock.cli.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rank that the others wait for, and what it does differently.
 *
 * <p>Ranks that exchange gradients take their steps together. Then the slowest input pipeline is that of the rank whose
 * consumer waits for batches for the largest share of its time: the others wait inside their step, for that rank. Where
 * no rank waits for batches, a lower rate shows a slower consumer; ranks in lockstep all have one rate, and the meters
 * of the input cannot tell then whose step is the slow one.
 *
 * <p>Servers that share the batches of a job are compared by the time that a batch takes. Consumers pass a slow one by,
 * so neither its rate nor its waiting tells how slow it is.
 *
 * @param rank  the name of the rank or server; null where none holds up the others
 * @param words one sentence
 */
record Laggard(@Nullable String rank, String words) {

    /** How much more of its time than the others a rank waits that holds them up. */
    private static final double WAITS_MORE = 0.15;

    /** Which share of their time ranks wait that are all held up by their input. */
    private static final double WAITS = 0.3;

    private static final double SLOWER = 1.2;

    /** How many times as long as elsewhere a batch takes at a slow server. */
    private static final double MAKES_SLOWER = 2;

    /** What takes this many times as long as elsewhere is a reason. */
    private static final double REASON = 1.5;
    /** Figures below are noise: milliseconds a sample, and shares of look-ups. */
    private static final double LEAST_MILLIS = 0.02;

    private static final double LEAST_SHARE = 0.02;
    private static final int REASONS = 2;

    /** Something that takes a rank longer than the others, by which factor. */
    private record Reason(double factor, String words) {}

    /** Ranks are compared with ranks, and servers with servers: these have no consumer in step with theirs. */
    static Laggard of(List<RankWindow> processes) {
        List<RankWindow> servers =
                processes.stream().filter(RankWindow::isServer).toList();
        List<RankWindow> others =
                processes.stream().filter(process -> !process.isServer()).toList();
        List<RankWindow> numbered =
                others.stream().filter(process -> process.counts().rank() >= 0).toList();
        Laggard rank = ofRanks(numbered.isEmpty() ? others : numbered);
        if (rank.rank != null || servers.size() < 2) {
            return rank;
        }
        Laggard server = ofServers(servers);
        return server.rank != null || others.isEmpty() ? server : rank;
    }

    private static Laggard ofServers(List<RankWindow> servers) {
        RankWindow slow = highest(servers, RankWindow::millisOfMaking);
        double usual = Math.max(LEAST_MILLIS, median(without(servers, slow), RankWindow::millisOfMaking));
        if (slow.millisOfMaking() < MAKES_SLOWER * usual) {
            return new Laggard(
                    null,
                    String.format(
                            Locale.ROOT, "no server holds the others up: a batch takes each about %.1f ms", usual));
        }
        return new Laggard(
                slow.name(),
                String.format(
                        Locale.ROOT,
                        "%s holds the others up: a batch takes it %.1f ms, the others %.1f; %s",
                        slow.name(),
                        slow.millisOfMaking(),
                        usual,
                        reasons(slow, servers)));
    }

    private static Laggard ofRanks(List<RankWindow> ranks) {
        if (ranks.size() < 2) {
            return new Laggard(null, "there are no two ranks to compare");
        }
        RankWindow waits = highest(ranks, RankWindow::waiting);
        double others = median(without(ranks, waits), RankWindow::waiting);
        if (waits.waiting() - others >= WAITS_MORE) {
            return new Laggard(
                    waits.name(),
                    "%s holds the others up: it waits for batches %s of its time, the others %s; %s"
                            .formatted(waits.name(), percent(waits.waiting()), percent(others), reasons(waits, ranks)));
        }
        RankWindow slow = highest(ranks, rank -> -rank.batchesPerSecond());
        List<RankWindow> rest = without(ranks, slow);
        double rate = median(rest, RankWindow::batchesPerSecond);
        if (rate > slow.batchesPerSecond() * SLOWER) {
            return new Laggard(
                    slow.name(),
                    String.format(
                            Locale.ROOT,
                            "%s falls behind: %.1f batches a second, the others %.1f; its consumer uses a batch for "
                                    + "%.1f ms, the others' for %.1f",
                            slow.name(),
                            slow.batchesPerSecond(),
                            rate,
                            slow.millisOfUse(),
                            median(rest, RankWindow::millisOfUse)));
        }
        return new Laggard(
                null,
                others >= WAITS
                        ? "no rank holds the others up: all wait for batches, about %s of their time"
                                .formatted(percent(others))
                        : "no rank holds the others up: the consumers set the pace");
    }

    private static String reasons(RankWindow slow, List<RankWindow> ranks) {
        List<RankWindow> others = without(ranks, slow);
        List<Reason> reasons = new ArrayList<>();
        slow.counts().stages().forEach((name, stage) -> {
            double usual = median(
                    others,
                    rank -> Optional.ofNullable(rank.counts().stages().get(name))
                            .map(RankCounts.Stage::millis)
                            .orElse(0.0));
            double factor = stage.millis() / Math.max(LEAST_MILLIS, usual);
            reasons.add(new Reason(
                    factor,
                    String.format(
                            Locale.ROOT,
                            stage.isSource()
                                    ? "its source takes %2$.2f ms a load, theirs %3$.2f"
                                    : "its stage \"%s\" takes %.2f ms a sample, theirs %.2f",
                            name,
                            stage.millis(),
                            usual)));
        });
        double usual = median(others, RankWindow::missing);
        reasons.add(new Reason(
                slow.missing() / Math.max(LEAST_SHARE, usual),
                "its cache misses %s of its samples, theirs %s".formatted(percent(slow.missing()), percent(usual))));
        String words = reasons.stream()
                .filter(reason -> reason.factor >= REASON)
                .sorted(Comparator.comparing(Reason::factor).reversed())
                .limit(REASONS)
                .map(Reason::words)
                .collect(Collectors.joining(", and "));
        return words.isEmpty() ? "no stage of it takes longer than theirs" : words;
    }

    private static RankWindow highest(List<RankWindow> ranks, ToDoubleFunction<RankWindow> figure) {
        return ranks.stream().max(Comparator.comparingDouble(figure)).orElseThrow();
    }

    private static List<RankWindow> without(List<RankWindow> ranks, RankWindow one) {
        List<RankWindow> rest = new ArrayList<>(ranks);
        rest.remove(one);
        return rest;
    }

    private static double median(List<RankWindow> ranks, ToDoubleFunction<RankWindow> figure) {
        double[] sorted = ranks.stream().mapToDouble(figure).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }
}
