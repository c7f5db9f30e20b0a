package io.penstock.cli.report;

import io.penstock.pipeline.RunStatistics;
import io.penstock.pipeline.StageStatistics;
import io.penstock.pipeline.StageStatistics.Kind;
import java.util.function.Predicate;

/**
 * How long an epoch takes when a part of it is held in a cache, from what one epoch was seen to take. Seconds a sample,
 * what several workers or loads in flight do at once divided among them.
 *
 * <p>The consumer, the workers and the source work side by side, so an epoch takes as long as the slowest of them; of
 * the workers' and the source's time a cache that holds the share c saves that share. Without a random stage and with
 * the slower of the two for m, that is {@code max(g, (1 - c) m)}: from {@code c >= 1 - g / m} on the consumer is never
 * kept waiting, and more cache gains nothing.
 *
 * @param consumer      what the consumer of the batches takes
 * @param random        the random stages, which run for every sample
 * @param deterministic the stages that a hit skips
 * @param source        a load
 * @param rest          what the epoch took beyond all that, and no cache is expected to save
 */
record Forecast(double consumer, double random, double deterministic, double source, double rest) {

    static Forecast of(Surroundings around, EpochReport epoch) {
        RunStatistics statistics = epoch.statistics();
        Predicate<StageStatistics> random = stage -> around.randomStages().contains(stage.name());
        Predicate<StageStatistics> notSkipped = random.or(stage -> stage.name().equals(RunStatistics.UNPACK));
        Forecast bare = new Forecast(
                epoch.samples() == 0 ? 0 : epoch.consumerSeconds() / epoch.samples(),
                perSample(statistics, Kind.STAGE, random) / around.workers(),
                perSample(statistics, Kind.STAGE, notSkipped.negate()) / around.workers(),
                perSample(statistics, Kind.SOURCE, stage -> true)
                        / around.inFlight().max(),
                0);
        double held = epoch.samples() == 0 ? 0 : 1 - (double) statistics.loads() / epoch.samples();
        double took = epoch.samples() == 0 ? 0 : epoch.seconds() / epoch.samples();
        double unexplained = Math.max(0, took - bare.perSample(Math.max(0, held)));
        return new Forecast(bare.consumer, bare.random, bare.deterministic, bare.source, unexplained);
    }

    private static double perSample(RunStatistics statistics, Kind kind, Predicate<StageStatistics> which) {
        return statistics.stages().stream()
                .filter(stage -> stage.kind() == kind && stage.samples() > 0 && which.test(stage))
                .mapToDouble(stage -> stage.time().toNanos() / 1e9 / stage.samples())
                .sum();
    }

    double perSample(double held) {
        double missing = 1 - held;
        return Math.max(consumer, Math.max(random + missing * deterministic, missing * source)) + rest;
    }

    /** The share from which on more cache makes no epoch faster. */
    double enough() {
        double pace = Math.max(consumer, random);
        double byWorkers = deterministic > 0 ? 1 - (pace - random) / deterministic : 0;
        double bySource = source > 0 ? 1 - pace / source : 0;
        return Math.max(0, Math.max(byWorkers, bySource));
    }
}
