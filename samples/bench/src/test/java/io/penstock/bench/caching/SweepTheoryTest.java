package io.penstock.bench.caching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.experiment.Measurement;
import io.penstock.bench.experiment.Measurements;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepTheoryTest {

    @Test
    void theory_ofAQuarterThatCannotBeSaved_bendsThere() {
        Measurements measurements = new Measurements();
        add(measurements, 0, 0, 8);
        add(measurements, 50, 0.5, 4.4);
        add(measurements, 90, 0.9, 2);
        add(measurements, 100, 1, 2);

        SweepTheory theory = new SweepTheory(measurements, "near", "seconds", "held");

        assertThat(theory.times()).hasSize(101);
        for (double[] place : new double[][] {{0, 8}, {25, 6}, {50, 4}, {75, 2}, {90, 2}, {100, 2}}) {
            double time = theory.times().get((int) place[0]).y().median();
            double gain = theory.gains().get((int) place[0]).y().median();
            assertThat(time).as("at %s %%", place[0]).isCloseTo(place[1], within(1e-9));
            assertThat(gain).as("at %s %%", place[0]).isCloseTo(8 / place[1], within(1e-9));
        }
        assertThat(theory.maxGain()).isEqualTo(4);
        assertThat(theory.maxError()).isCloseTo(100 * (1 - 4 / 4.4), within(1e-9));
    }

    private static void add(Measurements measurements, double share, double held, double seconds) {
        measurements.add(
                "near " + share,
                0,
                List.of(
                        new Measurement("seconds", "near", share, seconds),
                        new Measurement("held", "near", share, held)));
    }
}
