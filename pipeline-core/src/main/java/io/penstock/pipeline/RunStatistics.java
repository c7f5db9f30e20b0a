package io.penstock.pipeline;

import io.penstock.cache.HitCheck;
import io.penstock.internal.StageMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What a pipeline did in one epoch, or in all of them, up to now.
 *
 * @param loads   at the sources
 * @param hits    by the name of the tier that answered, fastest first; no entry without a cache
 * @param misses  lookups that no tier answered
 * @param skipped samples that were left out after a failure
 * @param verified hits that were loaded again and compared, as a {@link HitCheck} asked
 * @param differing those among them that were not the same
 * @param stages  in the order samples pass them; those of the parts of a concatenation are named
 *                {@code part 0: load}
 */
public record RunStatistics(
        long loads,
        Map<String, Long> hits,
        long misses,
        long skipped,
        long verified,
        long differing,
        List<StageStatistics> stages) {

    /** Of a pipeline without checked hits. */
    public RunStatistics(long loads, Map<String, Long> hits, long misses, long skipped, List<StageStatistics> stages) {
        this(loads, hits, misses, skipped, 0, 0, stages);
    }

    /** The sources among the stages: those of a {@link Dataset#concat concatenation} in its order. */
    public List<StageStatistics> sources() {
        return stages.stream()
                .filter(stage -> stage.kind() == StageStatistics.Kind.SOURCE)
                .toList();
    }

    static final class Tally {
        private final Function<StageMeter, StageMeter.Counts> counts;
        private final Map<String, Long> hits = new LinkedHashMap<>();
        private final List<StageStatistics> stages = new ArrayList<>();
        private long loads;
        private long misses;
        private long skipped;
        private long verified;
        private long differing;
        private String part = "";

        private Tally(Function<StageMeter, StageMeter.Counts> counts) {
            this.counts = counts;
        }

        static Tally of(long epoch) {
            return new Tally(meter -> meter.of(epoch));
        }

        static Tally ofAll() {
            return new Tally(StageMeter::total);
        }

        private long samples(StageMeter meter) {
            return counts.apply(meter).samples.sum();
        }

        void source(String name, StageMeter meter) {
            loads += samples(meter);
            add(name, StageStatistics.Kind.SOURCE, meter);
        }

        void stage(String name, StageMeter meter) {
            add(name, StageStatistics.Kind.STAGE, meter);
        }

        private void add(String name, StageStatistics.Kind kind, StageMeter meter) {
            StageMeter.Counts counted = counts.apply(meter);
            stages.add(new StageStatistics(
                    part + name, kind, counted.samples.sum(), Duration.ofNanos(counted.totalNanos())));
        }

        /** Adds one of several parts side by side, whose stages may have the same names. */
        void part(int number, Stage<?> stages) {
            String outside = part;
            part = "%spart %d: ".formatted(outside, number);
            stages.report(this);
            part = outside;
        }

        void hits(String tier, StageMeter meter) {
            hits.merge(tier, samples(meter), Long::sum);
        }

        void misses(StageMeter meter) {
            misses += samples(meter);
        }

        void rechecks(StageMeter same, StageMeter other) {
            verified += samples(same);
            differing += samples(other);
        }

        void skipped(StageMeter meter) {
            skipped += samples(meter);
        }

        RunStatistics total() {
            return new RunStatistics(
                    loads,
                    Collections.unmodifiableMap(new LinkedHashMap<>(hits)),
                    misses,
                    skipped,
                    verified,
                    differing,
                    List.copyOf(stages));
        }
    }
}
