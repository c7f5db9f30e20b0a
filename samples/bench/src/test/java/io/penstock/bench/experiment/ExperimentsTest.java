package io.penstock.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.Bench;
import io.penstock.bench.Measured;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs experiments of tiny size. */
class ExperimentsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path pictures;

    private final Bench bench = new Bench(true, pictures, text -> {});

    @BeforeAll
    static void draw() {
        PictureFolder.write(pictures, 32).blockLast();
    }

    private void assertCharts(int... lines) {
        assertThat(bench.charts())
                .extracting(chart -> chart.lines().size())
                .containsExactlyElementsOf(IntStream.of(lines).boxed().toList());
    }

    @Test
    void sweep_ofAFewShares_holdsThem() {
        Measured measured = Sweep.run(bench, TrainingStep.TIMED, 32, List.of(0, 50, 100), 1);

        for (String series : List.of("local files", "remote files")) {
            assertThat(measured.places(series)).containsExactly(0.0, 50.0, 100.0);
            assertThat(measured.median(SweepTheory.held(series), 50)).isBetween(0.4, 0.5);
            assertThat(measured.median(SweepTheory.held(series), 100)).isEqualTo(1);
        }
        assertCharts(4, 4);
        assertThat(bench.results()).hasSize(4);
    }

    @Test
    void sweepTheory_ofAQuarterThatCannotBeSaved_bendsThere() {
        Measured measured = new Measured();
        for (double[] each : new double[][] {{0, 0, 8}, {50, 0.5, 4.4}, {90, 0.9, 2}, {100, 1, 2}}) {
            measured.add(SweepTheory.held("near"), each[0], each[1]);
            measured.add("near", each[0], each[2]);
        }

        SweepTheory theory = new SweepTheory(measured, "near");

        for (double[] place : new double[][] {{0, 8}, {25, 6}, {50, 4}, {75, 2}, {90, 2}, {100, 2}}) {
            assertThat(theory.time(place[0])).as("at %s %%", place[0]).isCloseTo(place[1], within(1e-9));
        }
        assertThat(theory.gain(100)).isEqualTo(4);
        assertThat(theory.maxError()).isCloseTo(100 * (1 - 4 / 4.4), within(1e-9));
    }

    @Test
    void policies_ofRealTiers_hitAsTheorySays() {
        Measured measured = Policies.run(bench, 4000, List.of(50), 1);

        assertThat(measured.median("hold", 50)).isEqualTo(measured.median("held by hold", 50));
        double held = measured.median("held by LRU", 50) / 100;
        assertThat(measured.median("LRU", 50))
                .isCloseTo(100 * (held + (1 - held) * Math.log1p(-held)), within(2.0))
                .isPositive();
        assertThat(measured.median("LRU not shuffled", 50)).isZero();
        assertCharts(5);
    }

    @Test
    void epochs_ofOneRun_areMeasuredEach() {
        Measured measured = Epochs.run(bench, TrainingStep.TIMED, 16, 2, 1);

        assertThat(measured.places("cache on disk")).containsExactly(1.0, 2.0);
        assertThat(bench.results()).hasSize(4);
        assertCharts(3);
    }

    @Test
    void nearFar_ofOneRun_measuresEachEpochOfEachKind() {
        Measured measured = NearFar.run(bench, 8, 2, List.of(2), 1);

        assertThat(measured.places("far with a cache on disk by 2")).containsExactly(1.0, 2.0);
        for (String place : List.of("near", "far")) { // in turn, from the warm cache
            assertThat(measured.places(place + " warm by 2")).hasSize(20);
        }
        assertCharts(4);
        assertThat(bench.results()).hasSize(2);
    }

    @Test
    void latency_ofATinyRun_measuresHitsAndMissesOfEachTier() {
        MeasuredEpoch work = new MeasuredEpoch(64, 1024, 16);

        Measured measured = Latency.run(bench, List.of(work), 1);

        for (String tier : List.of("RAM", "shared memory", "disk")) {
            assertThat(measured.median(Latency.hit(tier, work), 99.9))
                    .isGreaterThanOrEqualTo(measured.median(Latency.hit(tier, work), 50))
                    .isPositive();
            assertThat(measured.places(Latency.miss(tier, work))).hasSize(8);
        }
        assertThat(measured.places("epoch of 1 KiB")).hasSizeGreaterThanOrEqualTo(4);
        assertThat(bench.charts()).hasSize(3);
    }

    @Test
    void percentile_ofSortedValues_isOneOfThem() {
        double[] sorted = IntStream.rangeClosed(1, 1000).asDoubleStream().toArray();

        assertThat(List.of(0.0, 50.0, 99.9, 100.0))
                .extracting(percentile -> Latency.percentile(sorted, percentile))
                .containsExactly(1.0, 500.0, 999.0, 1000.0);
    }

    @Test
    void lazy_ofRanksThatAreProcesses_loadsEachSampleOnce() {
        LazyShards.Caches caches = new LazyShards.Caches(1_024, 12_288);

        Measured measured = LazyShards.run(bench, 2_000, List.of(caches), List.of(2));

        for (String mode : List.of("rank", "node", "disk")) {
            double samples = measured.median(LazyShards.series("samples", mode, caches), 2);
            assertThat(samples).isBetween(400.0, 1_999.0);
            assertThat(List.of(0, 1, 2))
                    .extracting(epoch -> measured.median(LazyShards.series(LazyShards.loads(epoch), mode, caches), 2))
                    .as(mode)
                    .containsExactly(samples, 0.0, 0.0);
        }
        assertCharts(6);
        assertThat(bench.results())
                .hasSize(12)
                .filteredOn(result -> result.limit() != null)
                .hasSize(6)
                .allMatch(result -> Boolean.TRUE.equals(result.reached()));
    }
}
