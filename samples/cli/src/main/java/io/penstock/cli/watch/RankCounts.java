package io.penstock.cli.watch;

import io.penstock.cli.watch.Exposition.Point;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a process has counted since it began.
 *
 * @param nanos   when it was read, by {@link System#nanoTime}
 * @param rank    -1 where it says none, or is no rank of several: a server of batches
 * @param batches that consumers received
 * @param made    those of them that were asked for one by one, as of one of several servers
 * @param making  seconds that these took, added up
 * @param waited  seconds that the consumer waited for them
 * @param used    seconds that the consumer used them
 * @param stages  by name
 */
record RankCounts(
        long nanos,
        int rank,
        double batches,
        double made,
        double making,
        double waited,
        double used,
        double loads,
        double hits,
        double misses,
        double skipped,
        Map<String, Stage> stages) {

    private static final String STAGE = "penstock_stage_time_seconds";

    /**
     * A stage, or the source.
     *
     * @param isSource whether samples wait there instead of being worked on
     * @param samples  that went through it
     * @param seconds  summed over samples
     */
    record Stage(boolean isSource, double samples, double seconds) {

        double millis() {
            return samples <= 0 ? 0 : seconds * 1e3 / samples;
        }
    }

    static RankCounts of(Exposition meters, long nanos) {
        Map<String, Stage> stages = new LinkedHashMap<>();
        meters.points(STAGE + "_count").forEach(count -> {
            String name = count.label("stage");
            double seconds = meters.points(STAGE + "_sum")
                    .filter(sum -> sum.label("stage").equals(name))
                    .mapToDouble(Point::number)
                    .sum();
            stages.put(name, new Stage(count.label("kind").equals("source"), count.number(), seconds));
        });
        double made = meters.sum("penstock_batch_made_seconds_count");
        return new RankCounts(
                nanos,
                meters.sum("penstock_world") == 1
                        ? -1
                        : (int) meters.points("penstock_rank")
                                .mapToDouble(Point::number)
                                .findFirst()
                                .orElse(-1),
                meters.sum("penstock_batch_wait_seconds_count") + made,
                made,
                meters.sum("penstock_batch_made_seconds_sum"),
                meters.sum("penstock_batch_wait_seconds_sum"),
                meters.sum("penstock_batch_use_seconds_sum"),
                meters.sum("penstock_samples_loaded_total"),
                meters.sum("penstock_cache_hits_total"),
                meters.sum("penstock_cache_misses_total"),
                meters.sum("penstock_samples_skipped_total"),
                stages);
    }

    /** What was counted after an earlier reading, or since the beginning if the process began anew. */
    RankCounts since(RankCounts earlier) {
        if (batches < earlier.batches || loads < earlier.loads) {
            return this;
        }
        Map<String, Stage> since = new LinkedHashMap<>();
        stages.forEach((name, stage) -> {
            Stage before = earlier.stages.getOrDefault(name, new Stage(stage.isSource, 0, 0));
            since.put(
                    name,
                    new Stage(
                            stage.isSource,
                            grown(stage.samples, before.samples),
                            grown(stage.seconds, before.seconds)));
        });
        return new RankCounts(
                nanos,
                rank,
                grown(batches, earlier.batches),
                grown(made, earlier.made),
                grown(making, earlier.making),
                grown(waited, earlier.waited),
                grown(used, earlier.used),
                grown(loads, earlier.loads),
                grown(hits, earlier.hits),
                grown(misses, earlier.misses),
                grown(skipped, earlier.skipped),
                since);
    }

    private static double grown(double now, double before) {
        return Math.max(0, now - before);
    }
}
