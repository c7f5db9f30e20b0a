package io.penstock.bench.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Measuring;
import io.penstock.bench.experiment.Results;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That experiments measure what they say, in tiny sizes; never how fast. */
class ScalingExperimentsTest {

    @TempDir
    private Path scratch;

    @Test
    void latency_ofATinyRun_measuresHitsAndMissesOfEachTier() {
        Latency.Size size = new Latency.Size(List.of(new Latency.Work(64, 1024, 16)), 1);
        try (Course course = new Latency().course(size)) {
            Results results = Measuring.run(course, scratch);

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
            Results results = Measuring.run(course, scratch);

            assertThat(results.places("time [ns]", "a shuffled draw")).containsExactly(1e3, 1e9);
            assertThat(results.places("time [ns]", "a look-up in the RAM tier")).containsExactly(1e3);
            assertThat(results.median("memory [B]", "arithmetic of draws", 1e9)).isLessThan(100_000);
            assertThat(results.median("throughput [samples/s]", "ranks", 2)).isPositive();
            assertThat(course.charts(results)).hasSize(3);
            assertThat(course.findings(results)).hasSize(7);
            assertThat(scratch.resolve("cache")).doesNotExist();
        }
    }
}
