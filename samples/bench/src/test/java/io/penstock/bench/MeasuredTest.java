package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MeasuredTest {

    private final Measured measured = new Measured();

    @Test
    void ratio_ofTwoSeries_isFormedWithinARound() {
        measured.add("far", 1, 2);
        measured.add("near", 1, 1);
        measured.add("far", 1, 30);
        measured.add("near", 1, 10);
        measured.add("far", 1, 5);
        measured.add("near", 1, 1);

        assertThat(measured.ratio("far", "near", 1)).isEqualTo(3);
        assertThat(measured.median("far", 1)).isEqualTo(5);
    }

    @Test
    void line_overOtherPlaces_spansAllRepetitions() {
        measured.add("hits", 50, 3);
        measured.add("hits", 10, 1);
        measured.add("hits", 10, 2);

        Chart.Line line = measured.line("title", "hits", x -> x / 10);

        assertThat(line.dots()).containsExactly(new Chart.Dot(1, 1.5, 1, 2), new Chart.Dot(5, 3, 3, 3));
        assertThat(measured.places("hits")).containsExactly(10.0, 50.0);
    }

    @Test
    void values_ofWhatWasNotMeasured_areNone() {
        measured.add("hits", 10, 1);

        assertThatThrownBy(() -> measured.values("hits", 20)).hasMessage("nothing was measured of \"hits\" at 20.0");
        assertThatThrownBy(() -> measured.median("misses", 10)).hasMessage("nothing was measured of \"misses\"");
    }
}
