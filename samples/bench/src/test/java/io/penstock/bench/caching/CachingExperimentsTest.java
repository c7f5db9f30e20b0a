package io.penstock.bench.caching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.Measuring;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs experiments of tiny size. */
class CachingExperimentsTest {

    @TempDir
    private Path scratch;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path pictures;

    private final BenchOptions options = new BenchOptions(true, pictures, null, text -> {});

    @BeforeAll
    static void draw() {
        PictureFolder.write(pictures, 32).blockLast();
    }

    @Test
    void sweep_ofAFewShares_holdsThem() {
        try (Experiment experiment = new Sweep(options, new Sweep.Size(32, List.of(0, 50, 100), 1))) {
            Measurements measurements = Measuring.run(experiment, scratch);

            for (String series : List.of("local files", "remote files")) {
                assertThat(measurements.places("epoch time [s]", series)).containsExactly(0.0, 50.0, 100.0);
                assertThat(measurements.median("share held", series, 50)).isBetween(0.4, 0.5);
                assertThat(measurements.median("share held", series, 100)).isEqualTo(1);
            }
            assertThat(experiment.charts(measurements))
                    .hasSize(2)
                    .allSatisfy(chart -> assertThat(chart.lines()).hasSize(4));
            assertThat(experiment.results(measurements)).hasSize(4);
        }
    }

    @Test
    void policies_ofRealTiers_hitAsTheorySays() {
        try (Experiment experiment = new Policies(new Policies.Size(4000, List.of(50), 1))) {
            Measurements measurements = Measuring.run(experiment, scratch);

            assertThat(measurements.median("hit ratio [%]", "hold", 50))
                    .isEqualTo(measurements.median("share held [%]", "hold", 50));
            double held = measurements.median("share held [%]", "LRU", 50) / 100;
            assertThat(measurements.median("hit ratio [%]", "LRU", 50))
                    .isCloseTo(100 * (held + (1 - held) * Math.log1p(-held)), within(2.0))
                    .isPositive();
            assertThat(measurements.median("hit ratio [%]", "LRU not shuffled", 50))
                    .isZero();
            assertThat(experiment.charts(measurements).get(0).lines()).hasSize(6);
        }
    }

    @Test
    void epochs_ofOneRun_areMeasuredEach() {
        try (Experiment experiment = new Epochs(options, new Epochs.Size(16, 2, 1))) {
            Measurements measurements = Measuring.run(experiment, scratch);

            assertThat(measurements.places("epoch time [s]", "cache on disk")).containsExactly(1.0, 2.0);
            assertThat(experiment.results(measurements)).hasSize(4);
            assertThat(scratch.resolve("trial")).doesNotExist();
        }
    }

    @Test
    void nearFar_ofOneRun_measuresEachEpochOfEachKind() {
        try (Experiment experiment = new NearFar(options, new NearFar.Size(8, 2, List.of(2), 1))) {
            Measurements measurements = Measuring.run(experiment, scratch);

            assertThat(experiment.trials()).hasSize(5);
            assertThat(measurements.places("epoch time [s]", "far with a cache on disk by 2"))
                    .containsExactly(1.0, 2.0);
            for (String place : List.of("near", "far")) { // in turn, from the warm cache
                assertThat(measurements.places("warm epoch time [s]", place + " with a cache on disk by 2"))
                        .hasSize(20);
            }
            assertThat(experiment.charts(measurements))
                    .singleElement()
                    .satisfies(chart -> assertThat(chart.lines()).hasSize(4));
            assertThat(experiment.results(measurements)).hasSize(2);
        }
    }
}
