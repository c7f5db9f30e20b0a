package io.penstock.bench.caching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.experiment.Measured;
import io.penstock.bench.experiment.Results;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepTheoryTest {

    @Test
    void theory_ofAQuarterThatCannotBeSaved_bendsThere() {
        Results results = new Results();
        add(results, 0, 0, 8);
        add(results, 50, 0.5, 4.4);
        add(results, 90, 0.9, 2);
        add(results, 100, 1, 2);

        SweepTheory theory = new SweepTheory(results, "near", "seconds", "held");

        assertThat(theory.times()).extracting(dot -> dot.y().median()).containsExactly(8.0, 4.0, 2.0, 2.0);
        assertThat(theory.gains()).extracting(dot -> dot.y().median()).containsExactly(1.0, 2.0, 4.0, 4.0);
        assertThat(theory.largestGain()).isEqualTo(4);
        assertThat(theory.farthestOff()).isCloseTo(100 * (1 - 4 / 4.4), within(1e-9));
    }

    private static void add(Results results, double share, double held, double seconds) {
        results.add(
                "near " + share,
                0,
                List.of(new Measured("seconds", "near", share, seconds), new Measured("held", "near", share, held)));
    }
}
