package io.penstock.bench.caching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.Effort;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Measuring;
import io.penstock.bench.experiment.Results;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That experiments measure what they say, in tiny sizes; never how fast. */
class CachingExperimentsTest {

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

    @Test
    void sweep_ofAFewShares_holdsThem() {
        try (Course course = new Sweep().course(effort, new Sweep.Size(32, List.of(0, 50, 100), 1))) {
            Results results = Measuring.run(course, scratch);

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
            Results results = Measuring.run(course, scratch);

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
            Results results = Measuring.run(course, scratch);

            assertThat(results.places("epoch time [s]", "cache on disk")).containsExactly(1.0, 2.0);
            assertThat(course.findings(results)).hasSize(4);
            assertThat(scratch.resolve("cache")).doesNotExist();
        }
    }

    @Test
    void nearFar_ofOneRun_measuresEachEpochOfEachKind() {
        try (Course course = new NearFar().course(effort, new NearFar.Size(8, 2, List.of(2), 1))) {
            Results results = Measuring.run(course, scratch);

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
