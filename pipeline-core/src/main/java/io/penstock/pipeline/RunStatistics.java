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
 * @param hits    samples that came without a load of their own, by the name of the tier that answered, fastest first;
 *                those that shared a load which was under way count with the fastest. No entry without a cache
 * @param misses  samples that no tier had, and for which a load began: as many as the loads, if none fails
 * @param skipped samples that were left out after a failure
 * @param verified hits that were loaded again and compared, as a {@link HitCheck} asked
 * @param differing those among them that were not the same
 * @param stages  in the order samples pass them; those of the parts of a concatenation are named
 *                {@code part 0: load}
 * @param parts   what these counts have of each part of a {@link Dataset#concat concatenation}, such as a source of a
 *                {@link Mixture}; empty without one
 */
public record RunStatistics(
        long loads,
        Map<String, Long> hits,
        long misses,
        long skipped,
        long verified,
        long differing,
        List<StageStatistics> stages,
        List<OfPart> parts) {

    /** The name among the {@link #stages} of what unpacks hits that are kept in another form. */
    public static final String UNPACK = "unpack";

    /** The name among the {@link #stages} of the hits that are made anew of what is kept in their place; takes no time itself. */
    public static final String REMAKE = "remake";

    /** Of a pipeline without checked hits and parts. */
    public RunStatistics(long loads, Map<String, Long> hits, long misses, long skipped, List<StageStatistics> stages) {
        this(loads, hits, misses, skipped, 0, 0, stages, List.of());
    }

    /** What was counted after these earlier counts of the same pipeline. */
    public RunStatistics since(RunStatistics earlier) {
        List<StageStatistics> later = new ArrayList<>();
        for (int i = 0; i < stages.size(); i++) {
            later.add(stages.get(i).since(earlier.stages.get(i)));
        }
        List<OfPart> ofParts = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            OfPart before = earlier.parts.get(i);
            OfPart now = parts.get(i);
            ofParts.add(new OfPart(now.loads - before.loads, since(now.hits, before.hits), now.misses - before.misses));
        }
        return new RunStatistics(
                loads - earlier.loads,
                since(hits, earlier.hits),
                misses - earlier.misses,
                skipped - earlier.skipped,
                verified - earlier.verified,
                differing - earlier.differing,
                later,
                ofParts);
    }

    private static Map<String, Long> since(Map<String, Long> now, Map<String, Long> earlier) {
        Map<String, Long> hits = new LinkedHashMap<>(now);
        hits.replaceAll((tier, count) -> count - earlier.getOrDefault(tier, 0L));
        return hits;
    }

    /**
     * Of one part of a concatenation. A cache below the concatenation counts for its part, one above it for the part of
     * each draw.
     */
    public record OfPart(long loads, Map<String, Long> hits, long misses) {}

    static final class Tally {
        private final Function<StageMeter, StageMeter.Counts> counts;
        private final Map<String, Long> hits = new LinkedHashMap<>();
        private final List<StageStatistics> stages = new ArrayList<>();
        private final List<Tally> parts = new ArrayList<>();
        private final String prefix;
        private long loads;
        private long misses;
        private long skipped;
        private long verified;
        private long differing;

        private Tally(Function<StageMeter, StageMeter.Counts> counts, String prefix) {
            this.counts = counts;
            this.prefix = prefix;
        }

        static Tally of(long epoch) {
            return new Tally(meter -> meter.of(epoch), "");
        }

        static Tally ofAll() {
            return new Tally(StageMeter::total, "");
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
                    prefix + name, kind, counted.samples.sum(), Duration.ofNanos(counted.totalNanos())));
        }

        /** Adds one of several parts side by side, whose stages may have the same names. */
        void part(int number, Stage<?> last) {
            Tally part = new Tally(counts, "%spart %d: ".formatted(prefix, number));
            last.report(part);
            parts.add(part);
            part.hits.forEach((tier, count) -> hits.merge(tier, count, Long::sum));
            stages.addAll(part.stages);
            loads += part.loads;
            misses += part.misses;
            skipped += part.skipped;
            verified += part.verified;
            differing += part.differing;
        }

        /** @param byPart a meter for each part, or one for all */
        void hits(String tier, StageMeter... byPart) {
            for (int i = 0; i < byPart.length; i++) {
                long counted = samples(byPart[i]);
                hits.merge(tier, counted, Long::sum);
                if (byPart.length == parts.size()) {
                    parts.get(i).hits.merge(tier, counted, Long::sum);
                }
            }
        }

        /** @param byPart a meter for each part, or one for all */
        void misses(StageMeter... byPart) {
            for (int i = 0; i < byPart.length; i++) {
                long counted = samples(byPart[i]);
                misses += counted;
                if (byPart.length == parts.size()) {
                    parts.get(i).misses += counted;
                }
            }
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
                    hits(),
                    misses,
                    skipped,
                    verified,
                    differing,
                    List.copyOf(stages),
                    parts.stream()
                            .map(part -> new OfPart(part.loads, part.hits(), part.misses))
                            .toList());
        }

        private Map<String, Long> hits() {
            return Collections.unmodifiableMap(new LinkedHashMap<>(hits));
        }
    }
}
