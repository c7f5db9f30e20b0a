package io.penstock.pipeline;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a pipeline did in one epoch, up to now.
 *
 * @param loads   at the sources
 * @param hits    by the name of the tier that answered, fastest first; no entry without a cache
 * @param misses  lookups that no tier answered
 * @param skipped samples that were left out after a failure
 * @param stages  in the order samples pass them
 */
public record RunStatistics(
        long loads, Map<String, Long> hits, long misses, long skipped, List<StageStatistics> stages) {

    /** Adds up the stages of a pipeline for one epoch. */
    static final class Tally {
        private final long epoch;
        private final Map<String, Long> hits = new LinkedHashMap<>();
        private final List<StageStatistics> stages = new ArrayList<>();
        private long loads;
        private long misses;
        private long skipped;

        Tally(long epoch) {
            this.epoch = epoch;
        }

        void source(String name, Meter meter) {
            loads += meter.samples(epoch);
            add(name, StageStatistics.Kind.SOURCE, meter);
        }

        void stage(String name, Meter meter) {
            add(name, StageStatistics.Kind.STAGE, meter);
        }

        private void add(String name, StageStatistics.Kind kind, Meter meter) {
            Meter.Counts counts = meter.of(epoch);
            stages.add(new StageStatistics(name, kind, counts.samples.sum(), Duration.ofNanos(counts.totalNanos())));
        }

        void hits(String tier, Meter meter) {
            hits.merge(tier, meter.samples(epoch), Long::sum);
        }

        void misses(Meter meter) {
            misses += meter.samples(epoch);
        }

        void skipped(Meter meter) {
            skipped += meter.samples(epoch);
        }

        RunStatistics total() {
            return new RunStatistics(
                    loads,
                    Collections.unmodifiableMap(new LinkedHashMap<>(hits)),
                    misses,
                    skipped,
                    List.copyOf(stages));
        }
    }
}
