package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeriodicScheduleTest {

    private static final int DRAWS = Boolean.getBoolean("penstock.endurance") ? 1_000_000 : 100_000;

    /** The largest deviation from the weights after any number of draws, by counting. */
    private static double maxDeviation(PeriodicSchedule schedule, double[] weights, int draws) {
        double sum = DoubleStream.of(weights).sum();
        long[] drawn = new long[weights.length];
        double max = 0;
        for (int draw = 0; draw < draws; draw++) {
            drawn[schedule.source(draw)]++;
            for (int source = 0; source < weights.length; source++) {
                max = Math.max(max, Math.abs(drawn[source] - (draw + 1) * (weights[source] / sum)));
            }
        }
        return max;
    }

    @Tag("repeated")
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 9})
    void prefixes_ofRandomWeights_areWithinOneDrawOfThem(int sources) {
        double[] weights = new Random(sources).doubles(sources, 0.01, 1).toArray();

        PeriodicSchedule schedule = PeriodicSchedule.of(weights);

        assertThat(schedule.period).isEqualTo(1 << 24);
        assertThat(maxDeviation(schedule, weights, DRAWS)).isLessThan(1);
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 6, 7, 8})
    void prefixes_ofAnyNumberOfRandomWeights_areWithinOneDrawOfThem(int sources) {
        prefixes_ofRandomWeights_areWithinOneDrawOfThem(sources);
    }

    @Property(tries = 60)
    void prefixes_ofSmallWholeWeights_areWithinTijdemansBound(
            @ForAll @IntRange(min = 2, max = 9) int sources, @ForAll @IntRange(max = 10_000) int seed) {
        double[] weights =
                new Random(seed).ints(sources, 1, 20).asDoubleStream().toArray();

        PeriodicSchedule schedule = PeriodicSchedule.of(weights);

        double bound = 1 - 1.0 / (2 * sources - 2);
        assertThat(maxDeviation(schedule, weights, 100_000)).isLessThanOrEqualTo(bound + 1e-6);
    }

    @Property(tries = 200)
    void counts_ofAnyDraw_areThoseByCounting(
            @ForAll @IntRange(min = 1, max = 40) int sources, @ForAll @IntRange(max = 10_000) int seed) {
        double[] weights =
                new Random(seed).ints(sources, 1, 50).asDoubleStream().toArray();
        PeriodicSchedule schedule = PeriodicSchedule.of(weights);
        long[] drawn = new long[sources];

        for (int draw = 0; draw < 2 * schedule.period + 3; draw++) {
            int source = schedule.source(draw);
            assertThat(schedule.before(draw, source)).isEqualTo(drawn[source]);
            assertThat(schedule.find(source, drawn[source])).isEqualTo(draw);
            int other = draw % sources;
            assertThat(schedule.count(other, draw)).isEqualTo(drawn[other]);
            drawn[source]++;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0.7;0.3, 7:3",
        "1, 1",
        "5;5;5, 1:1:1",
        "1;2, 1:2",
        "0.33;0.67, 33:67",
        "0.123;0.877, 123:877",
        "0.1;0.2;0.3;0.4, 1:2:3:4",
        "1e-3;0.999, 1:999",
        "1e-4;0.9999, 1:9999",
        "1e300;3e300, 1:3"
    })
    void weights_ofSmallFractions_becomeTheSmallestWholeNumbers(String weights, String whole) {
        double[] given = Arrays.stream(weights.split(";", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();

        assertThat(PeriodicSchedule.of(given)).hasToString(whole);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 255})
    void schedule_ofManySources_drawsEachAsOftenAsItsWeight(int sources) {
        double[] weights = new Random(1).ints(sources, 1, 40).asDoubleStream().toArray();
        PeriodicSchedule schedule = PeriodicSchedule.of(weights);

        for (int source = 0; source < sources; source++) {
            assertThat((double) schedule.count(source, schedule.period) / schedule.period)
                    .isEqualTo(weights[source] / DoubleStream.of(weights).sum());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1e-9;1 | weight of source 0 must be at least 1 of 16777216 of the sum 1.000000001, was 1.0E-9",
                "0.1;0.2;1e-9 | weight of source 2 must be at least 1 of 16777216 of the sum 0.300000001, was 1.0E-9",
                "1e308;1e308 | the weights of a mixture must have a finite sum; divide all of them"
            })
    void weights_outOfRange_areRefused(String weights, String message) {
        double[] given = Arrays.stream(weights.split(";", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();

        assertThatThrownBy(() -> PeriodicSchedule.of(given))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
