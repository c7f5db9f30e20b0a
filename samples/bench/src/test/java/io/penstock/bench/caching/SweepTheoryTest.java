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

        assertThat(theory.times()).extracting(dot -> dot.y().median()).containsExactly(8.0, 4.0, 2.0, 2.0);
        assertThat(theory.gains()).extracting(dot -> dot.y().median()).containsExactly(1.0, 2.0, 4.0, 4.0);
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
