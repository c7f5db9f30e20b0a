package io.penstock.cli.demo;

import io.penstock.cli.report.EpochReport;
import io.penstock.pipeline.RunStatistics;
import io.penstock.pipeline.StageStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    /** What happened since an earlier reading, as if it had been an epoch. */
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
                since(earlier.statistics),
                null);
    }

    private RunStatistics since(RunStatistics earlier) {
        Map<String, Long> hits = new LinkedHashMap<>();
        statistics
                .hits()
                .forEach((tier, count) -> hits.put(tier, count - earlier.hits().getOrDefault(tier, 0L)));
        List<StageStatistics> stages = new ArrayList<>();
        for (int i = 0; i < statistics.stages().size(); i++) {
            StageStatistics then = earlier.stages().get(i);
            StageStatistics now = statistics.stages().get(i);
            Duration time = now.time().minus(then.time());
            // times are extrapolated from samples of them, and so may seem to fall
            stages.add(new StageStatistics(
                    now.name(), now.kind(), now.samples() - then.samples(), time.isNegative() ? Duration.ZERO : time));
        }
        return new RunStatistics(
                statistics.loads() - earlier.loads(),
                hits,
                statistics.misses() - earlier.misses(),
                statistics.skipped() - earlier.skipped(),
                stages);
    }
}
