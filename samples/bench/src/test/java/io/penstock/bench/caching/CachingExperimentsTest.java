package io.penstock.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.Effort;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That experiments measure what they say, in tiny sizes; never how fast. */
class ExperimentsTest {

    @TempDir
    private Path scratch;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path pictures;

    private final Effort effort = new Effort(true, pictures, null, text -> {});

    @BeforeAll
    static void draw() {
        PictureFolder.write(pictures, 32).blockLast();
    }

    private Results run(Course course) {
        Results results = new Results();
        course.prepare(scratch, text -> {});
        for (int round = 0; round < course.rounds(); round++) {
            for (Trial trial : course.trials()) {
                results.add(trial.name(), round, trial.run().apply(round));
            }
        }
        return results;
    }

    @Test
    void sweep_ofAFewShares_holdsThem() {
        try (Course course = new Sweep().course(effort, new Sweep.Size(32, List.of(0, 50, 100), 1))) {
            Results results = run(course);

            for (String series : List.of("local files", "remote files")) {
                assertThat(results.places("epoch time [s]", series)).containsExactly(0.0, 50.0, 100.0);
                assertThat(results.median("share held", series, 50)).isBetween(0.4, 0.5);
                assertThat(results.median("share held", series, 100)).isEqualTo(1);
            }
            assertThat(course.charts(results))
                    .hasSize(2)
                    .allSatisfy(chart -> assertThat(chart.lines()).hasSize(4));
            assertThat(course.findings(results)).hasSize(4);
        }
    }

    @Test
    void policies_ofRealTiers_hitAsTheorySays() {
        try (Course course = new Policies().course(new Policies.Size(4000, List.of(50), 1))) {
            Results results = run(course);

            assertThat(results.median("hit ratio [%]", "hold", 50))
                    .isEqualTo(results.median("share held [%]", "hold", 50));
            double held = results.median("share held [%]", "LRU", 50) / 100;
            assertThat(results.median("hit ratio [%]", "LRU", 50))
                    .isCloseTo(100 * (held + (1 - held) * Math.log1p(-held)), within(2.0))
                    .isPositive();
            assertThat(results.median("hit ratio [%]", "LRU not shuffled", 50)).isZero();
            assertThat(course.charts(results).get(0).lines()).hasSize(6);
        }
    }

    @Test
    void epochs_ofOneRun_areMeasuredEach() {
        try (Course course = new Epochs().course(effort, new Epochs.Size(16, 2, 1))) {
            Results results = run(course);

            assertThat(results.places("epoch time [s]", "cache on disk")).containsExactly(1.0, 2.0);
            assertThat(course.findings(results)).hasSize(4);
            assertThat(scratch.resolve("cache")).doesNotExist();
        }
    }

    @Test
    void latency_ofATinyRun_measuresHitsAndMissesOfEachTier() {
        Latency.Size size = new Latency.Size(List.of(new Latency.Work(64, 1024, 16)), 1);
        try (Course course = new Latency().course(size)) {
            Results results = run(course);

            for (String tier : List.of("RAM", "shared memory", "disk")) {
                assertThat(results.median("hit [us]", tier + " 1 KiB", 99.9))
                        .isGreaterThanOrEqualTo(results.median("hit [us]", tier + " 1 KiB", 50))
                        .isPositive();
                assertThat(results.places("miss [us]", tier + " 1 KiB")).hasSize(8);
            }
            assertThat(results.places("epoch per sample [us]", "1 KiB")).hasSizeGreaterThanOrEqualTo(4);
            assertThat(course.charts(results)).hasSize(3);
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
        Ranks.Load load = new Ranks.Load(64, 1024, 16, 1, 2);
        Scale.Size size = new Scale.Size(List.of(1000L, 1_000_000_000L), 1000, 1000, List.of(2), load, 1);
        try (Course course = new Scale().course(size)) {
            Results results = run(course);

            assertThat(results.places("time [ns]", "a shuffled draw")).containsExactly(1e3, 1e9);
            assertThat(results.places("time [ns]", "a look-up in the RAM tier")).containsExactly(1e3);
            assertThat(results.median("memory [B]", "arithmetic of draws", 1e9)).isLessThan(100_000);
            assertThat(results.median("throughput [samples/s]", "ranks", 2)).isPositive();
            assertThat(course.charts(results)).hasSize(3);
            assertThat(course.findings(results)).hasSize(7);
            assertThat(scratch.resolve("cache")).doesNotExist();
        }
    }

    @Test
    void nearFar_ofOneRun_measuresEachEpochOfEachKind() {
        try (Course course = new NearFar().course(effort, new NearFar.Size(8, 2, List.of(2), 1))) {
            Results results = run(course);

            assertThat(course.trials()).hasSize(5);
            assertThat(results.places("epoch time [s]", "far with a cache on disk by 2"))
                    .containsExactly(1.0, 2.0);
            for (String place : List.of("near", "far")) { // in turn, from the warm cache
                assertThat(results.places("warm epoch time [s]", place + " with a cache on disk by 2"))
                        .hasSize(20);
            }
            assertThat(course.charts(results))
                    .singleElement()
                    .satisfies(chart -> assertThat(chart.lines()).hasSize(4));
            assertThat(course.findings(results)).hasSize(2);
        }
    }
}
