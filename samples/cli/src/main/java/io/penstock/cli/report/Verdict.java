package io.penstock.cli.report;

import io.penstock.cli.flag.ByteSize;
import io.penstock.pipeline.RunStatistics;
import io.penstock.pipeline.StageStatistics;
import io.penstock.pipeline.StageStatistics.Kind;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One line that says what limits a run and what would change it.
 *
 * <p>By Little's law: a stage's time over the wall's is how many workers it kept busy, the source's time over the
 * wall's how many loads were in flight. Whichever of the two is used up sets the pace; loads that wait for a busy thread
 * or for a connection are told by the processor time and by the number of connections. If nothing is used up,
 * the consumer sets the pace, unless it only counts. In between, and of an epoch too short, it names no cause.
 *
 * @param otherwise what is said where nothing is used up
 */
public record Verdict(Surroundings around, EpochReport epoch, String otherwise) {

    /** From here on it is used up: other epochs of the same run vary by less than what is between the two. */
    private static final double USED_UP = 0.75;
    /** Up to here it is not. */
    private static final double FREE = 0.5;
    /** A shorter epoch, or what follows its first batch, is decided by how it starts. */
    private static final double SHORTEST_SECONDS = 1;
    /** Of one sample: far more than reading and handing on a small one takes. */
    private static final double LONGEST_HANDING = 50e-6;

    private static final String LESS_SOURCE = "keep copies with --mirror or a cache, or take more ranks";

    /** Of the last epoch, which is the one that is repeated if the run goes on. */
    public static String of(Surroundings around, EpochReport lastEpoch) {
        return new Verdict(around, lastEpoch, "the consumer sets the pace").text();
    }

    /** As {@link #of}, for a run whose consumer does nothing with the batches. */
    public static String ofCounting(Surroundings around, EpochReport lastEpoch) {
        return new Verdict(around, lastEpoch, "nothing limits this run: the consumer only counts").text();
    }

    private String text() {
        long misses = epoch.statistics().misses();
        if (epoch.samples() == 0) {
            return "nothing was delivered";
        }
        if (epoch.hits() == 0) {
            return pace();
        }
        if (misses == 0) {
            return "served from %s%s: %s".formatted(tiers(), forms(), pace());
        }
        return "%s of the samples came from the cache%s: %s; %s"
                .formatted(percent((double) epoch.hits() / (epoch.hits() + misses)), forms(), moreCache(), pace());
    }

    private String forms() {
        return form(RunStatistics.UNPACK, "packed") + form(RunStatistics.REMAKE, "decoded of kept files");
    }

    private String form(String name, String word) {
        long hits = stages(Kind.STAGE).stream()
                .filter(stage -> stage.name().equals(name))
                .mapToLong(StageStatistics::samples)
                .sum();
        return hits == 0 ? "" : ", %s of the hits %s".formatted(percent((double) hits / epoch.hits()), word);
    }

    private String tiers() {
        return epoch.statistics().hits().entrySet().stream()
                .filter(tier -> tier.getValue() > 0)
                .map(tier -> tier.getKey().equals("ram") ? "RAM" : tier.getKey())
                .collect(Collectors.joining(" and "));
    }

    private String moreCache() {
        Surroundings.Held held = around.cache();
        return held == null || held.samples() == 0 || held.samples() >= around.samples()
                ? "it is still filling"
                : "--cache-ram %s would hold all %d"
                        .formatted(ByteSize.roundedUp(held.bytesForAll(around.samples())), around.samples());
    }

    private String pace() {
        double wall = epoch.seconds();
        if (wall < SHORTEST_SECONDS) {
            return String.format(
                    Locale.ROOT, "the last epoch took %.2f s, which is too short to tell what limits the run", wall);
        }
        double start = epoch.firstBatchSeconds();
        if (epoch.batches() > 1 && wall - start < SHORTEST_SECONDS) {
            return String.format(
                    Locale.ROOT,
                    "the last epoch took %.2f s, %.2f s of them until its first batch, which is too short to tell what"
                            + " limits the run",
                    wall,
                    start);
        }
        double busy = seconds(Kind.STAGE) / (wall * around.workers());
        double inFlight = seconds(Kind.SOURCE) / wall;
        double loading = inFlight / around.inFlight().max();
        double consuming = epoch.consumerSeconds() / wall;
        Optional<StageStatistics> slowest =
                stages(Kind.STAGE).stream().max(Comparator.comparing(StageStatistics::time));
        if (slowest.isPresent() && busy >= USED_UP) {
            return stageLimits(slowest.get(), wall);
        }
        String figures = "(workers %s busy, %.1f of %d loads in flight)"
                .formatted(percent(busy), inFlight, around.inFlight().max());
        if (consuming >= USED_UP) {
            return "the consumer sets the pace " + figures;
        }
        double handing = handing(wall, consuming);
        if (handing >= USED_UP && busy < FREE && consuming < FREE) {
            return threadLimits(wall);
        }
        if (loading >= USED_UP && handing < FREE) {
            return sourceLimits(inFlight);
        }
        return busy < FREE && loading < FREE && handing < FREE
                ? otherwise + " " + figures
                : "no single cause stands out " + figures;
    }

    /** How busy the thread is that hands samples on, which changes; 0 where a sample takes more than that could. */
    private double handing(double wall, double consuming) {
        return wall > LONGEST_HANDING * epoch.samples()
                ? 0
                : around.processing() - consuming - seconds(Kind.STAGE) / wall;
    }

    private String threadLimits(double wall) {
        return String.format(
                Locale.ROOT,
                "handing samples on takes %.1f µs each, one at a time, and more loads or workers do not change that: take"
                        + " larger samples, or several ranks",
                wall * 1e6 / epoch.samples());
    }

    private String stageLimits(StageStatistics stage, double wall) {
        String takes =
                "stage \"%s\" takes %s of the workers' time: ".formatted(stage.name(), percent(share(stage, wall)));
        boolean random = around.randomStages().contains(stage.name());
        Surroundings.Held held = around.cache();
        if (!random && held != null) {
            String cached = held.samples() == 0
                    ? "the cache holds nothing so far; make room for it, or "
                    : epoch.hits() == 0 ? "the next epoch finds results in the cache; until then " : "";
            return takes + cached + moreWorkers();
        }
        if (random || around.bytesForAll() <= 0) {
            return takes + moreWorkers();
        }
        long needed = around.bytesForAll();
        String fits = needed <= around.freeBytes()
                ? "everything fits"
                : "%s are free, which hold a part".formatted(ByteSize.roundedUp(around.freeBytes()));
        return takes
                + "cache after it with --cache-ram %s (%s), or %s"
                        .formatted(ByteSize.roundedUp(needed), fits, moreWorkers());
    }

    private String moreWorkers() {
        return around.workers() < around.processors()
                ? "raise --workers (%d of %d processors are used)".formatted(around.workers(), around.processors())
                : "add processors";
    }

    private String sourceLimits(double inFlight) {
        long loads = Math.max(1, epoch.statistics().loads());
        double millis = seconds(Kind.SOURCE) * 1e3 / loads;
        return String.format(Locale.ROOT, "the source answers slowly (%.1f ms, %.0f in flight): ", millis, inFlight)
                + moreLoads();
    }

    private String moreLoads() {
        int connections = around.connections();
        boolean connected = connections > 0 && around.inFlight().max() >= connections;
        if (connected) {
            return "all %d connections of the client are in use, so a larger --in-flight changes nothing; "
                            .formatted(connections)
                    + LESS_SOURCE;
        }
        return switch (around.inFlight().by()) {
            case SET ->
                "leave --in-flight out, so that the run finds how many pay, or raise it"
                        + (connections > 0 ? ", up to the %d connections of the client".formatted(connections) : "");
            case BYTES -> "more loads pass the bytes allowed; raise --prefetch-bytes, or the heap (java -Xmx)";
            case SOURCE, MOST -> "more loads at once bring nothing; " + LESS_SOURCE;
            case START, PACE -> "the run was too short to find how many loads pay; another epoch has more in flight";
        };
    }

    private List<StageStatistics> stages(Kind kind) {
        return epoch.statistics().stages().stream()
                .filter(stage -> stage.kind() == kind)
                .toList();
    }

    private double seconds(Kind kind) {
        return stages(kind).stream()
                        .map(StageStatistics::time)
                        .reduce(Duration.ZERO, Duration::plus)
                        .toNanos()
                / 1e9;
    }

    private double share(StageStatistics stage, double wall) {
        return stage.time().toNanos() / 1e9 / (wall * around.workers());
    }

    private static String percent(double share) {
        return Math.round(100 * Math.min(1, share)) + " %";
    }
}
