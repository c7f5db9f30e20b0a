package io.penstock.cli.stream;

import io.penstock.cache.Cache;
import io.penstock.cache.ram.RamTier;
import io.penstock.cli.report.Surroundings;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SourceSpec;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.RunStatistics;
import io.penstock.stream.Execution;

/**
 * What a report says of a run, and what its verdict needs to know.
 *
 * @param remote    whether a source is elsewhere
 * @param beforeRun the counts of loads before the run
 */
public record RunFacts(
        Feed<?> feed,
        Pipeline<?> pipeline,
        Execution execution,
        RunCache cache,
        boolean remote,
        RunStatistics beforeRun) {

    private static final double SENSIBLE_SHARE = 0.8;

    /** What a RAM cache could sensibly have; 0 where the system does not say. */
    public static long roomForACache() {
        return (long) (SENSIBLE_SHARE * RamTier.freeBytes().orElse(0));
    }

    /** The counts of an epoch so far. Loads before the run, which count for the first epoch, are left out. */
    RunStatistics statistics(long epoch) {
        RunStatistics counted = pipeline.statistics(epoch);
        return Cacheable.Part.named(
                epoch == 0 ? counted.since(beforeRun) : counted, feed.base().parts());
    }

    /** As it is now; an epoch's threads took this much processor time. */
    Surroundings surroundings(double processing) {
        Cache found = cache.cache;
        return new Surroundings(
                pipeline.size(),
                execution.parallelism(),
                Runtime.getRuntime().availableProcessors(),
                pipeline.loadsInFlight(),
                feed.base().sampleBytes() * pipeline.size(),
                roomForACache(),
                cache.diskBytes(SENSIBLE_SHARE),
                feed.dice().keySet(),
                found == null ? null : Surroundings.Held.of(found.statistics()),
                remote ? SourceSpec.CONNECTIONS : 0,
                processing);
    }
}
