package io.penstock.bench.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.Measuring;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs experiments of tiny size. */
class ScalingExperimentsTest {

    @TempDir
    private Path scratch;

    @Test
    void latency_ofATinyRun_measuresHitsAndMissesOfEachTier() {
        Latency.Size size = new Latency.Size(List.of(new Latency.Work(64, 1024, 16)), 1);
        try (Experiment experiment = new Latency(size)) {
            Measurements measurements = Measuring.run(experiment, scratch);

            for (String tier : List.of("RAM", "shared memory", "disk")) {
                assertThat(measurements.median("hit [us]", tier + " 1 KiB", 99.9))
                        .isGreaterThanOrEqualTo(measurements.median("hit [us]", tier + " 1 KiB", 50))
                        .isPositive();
                assertThat(measurements.places("miss [us]", tier + " 1 KiB")).hasSize(8);
            }
            assertThat(measurements.places("epoch per sample [us]", "1 KiB")).hasSizeGreaterThanOrEqualTo(4);
            assertThat(experiment.charts(measurements)).hasSize(3);
        }
    }

    @Test
    void percentile_ofSortedValues_isOneOfThem() {
        double[] sorted = IntStream.rangeClosed(1, 1000).asDoubleStream().toArray();

        assertThat(List.of(0.0, 50.0, 99.9, 100.0))
                .extracting(percentile -> LookUps.percentile(sorted, percentile))
                .containsExactly(1.0, 500.0, 999.0, 1000.0);
    }

    @Test
    void scale_ofATinyRun_drawsLooksUpAndRunsRanks() {
        RankProcess.Load load = new RankProcess.Load(64, 1024, 16, 1, 2);
        Scale.Size size = new Scale.Size(List.of(1000L, 1_000_000_000L), 1000, 1000, List.of(2), load, 1);
        try (Experiment experiment = new Scale(size)) {
            Measurements measurements = Measuring.run(experiment, scratch);

            assertThat(measurements.places("time [ns]", "a shuffled draw")).containsExactly(1e3, 1e9);
            assertThat(measurements.places("time [ns]", "a look-up in the RAM tier"))
                    .containsExactly(1e3);
            assertThat(measurements.median("memory [B]", "arithmetic of draws", 1e9))
                    .isLessThan(100_000);
            assertThat(measurements.median("throughput [samples/s]", "ranks", 2))
                    .isPositive();
            assertThat(experiment.charts(measurements)).hasSize(3);
            assertThat(experiment.results(measurements)).hasSize(7);
            assertThat(scratch.resolve("cache")).doesNotExist();
        }
    }

    @Test
    void cluster_measuredQuickly_movesTheKeysOfALostNodeAlone() {
        List<Result> results = new Cluster().run(new BenchOptions(true, null, null, words -> {}));

        assertThat(results).hasSize(36);
        assertThat(results)
                .filteredOn(result -> result.what().endsWith("other keys that move"))
                .hasSize(4)
                .allMatch(result -> result.value() == 0);
        assertThat(results)
                .filteredOn(result -> result.what().contains("order, shard and resume"))
                .hasSize(4)
                .allMatch(result -> Boolean.TRUE.equals(result.reached()));
    }

    @Test
    void stragglers_ofATinyRun_areMeasuredInOrderAndNot() {
        try (Experiment experiment = new Stragglers(new Stragglers.Size(256, List.of(64), 1))) {
            Measurements measurements = Measuring.run(experiment, scratch);

            assertThat(measurements.median("epoch time [s]", "unordered", 64)).isPositive();
            assertThat(experiment.charts(measurements)).hasSize(1);
            assertThat(experiment.results(measurements)).hasSize(2);
        }
    }

    @Test
    void lazy_ofRanksThatAreProcesses_loadsEachSampleOnce() {
        LazyRank.Load load = new LazyRank.Load(2_000, 16_384, 1_024, 12_288, 3);
        try (Experiment experiment = new LazyShards(new LazyShards.Size(List.of(load), List.of(2), 1))) {
            Measurements measurements = Measuring.run(experiment, scratch);

            for (String mode : List.of("rank", "node", "disk")) {
                String series = "mode %s of 2 1 + 12 MiB".formatted(mode);
                double samples = measurements.median("samples of an epoch", mode + " 1 + 12 MiB", 2);
                assertThat(samples).isBetween(400.0, 1_999.0);
                assertThat(List.of(1, 2, 3))
                        .extracting(epoch -> measurements.median("loads of an epoch", series, epoch))
                        .as(series)
                        .containsExactly(samples, 0.0, 0.0);
            }
            assertThat(experiment.charts(measurements)).hasSize(2);
            assertThat(experiment.results(measurements))
                    .hasSize(12)
                    .filteredOn(result -> result.limit() != null)
                    .hasSize(6)
                    .allMatch(result -> Boolean.TRUE.equals(result.reached()));
        }
    }
}
