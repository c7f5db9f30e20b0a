package io.penstock.cli.demo;

import io.penstock.cli.report.EpochReport;
import io.penstock.pipeline.RunStatistics;
import java.util.List;

/**
 * A run's counts at one moment.
 *
 * @param nanos      of the clock
 * @param epoch      that was being delivered
 * @param samples    delivered since the run began
 * @param batches    likewise
 * @param ofSources  samples delivered of each source of a mixture since the run began
 * @param statistics of the pipeline since the run began
 */
record Reading(long nanos, long epoch, long samples, long batches, List<Long> ofSources, RunStatistics statistics) {

    EpochReport since(Reading earlier) {
        double seconds = (nanos - earlier.nanos) / 1e9;
        return new EpochReport(
                epoch,
                samples - earlier.samples,
                batches - earlier.batches,
                0,
                seconds,
                0,
                0,
                statistics.since(earlier.statistics),
                null,
                null,
                List.of());
    }
}
