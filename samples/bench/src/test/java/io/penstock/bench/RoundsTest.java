package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

    @Test
    void rounds_takeContestantsInTurnAndForgetTheWarmUp() {
        List<String> order = new ArrayList<>();
        double[] figure = {0};

        Rounds rounds = Rounds.of(
                1,
                3,
                round -> order.add("round " + round),
                List.of(
                        () -> {
                            order.add("a");
                            return ++figure[0];
                        },
                        () -> {
                            order.add("b");
                            return 2 * figure[0];
                        }));

        assertThat(order)
                .containsExactly("round -1", "a", "b", "round 0", "a", "b", "round 1", "a", "b", "round 2", "a", "b");
        assertThat(rounds.median(0)).isEqualTo(3);
        assertThat(rounds.median(1)).isEqualTo(6);
        assertThat(rounds.medianRatio(1, 0)).isEqualTo(2);
    }

    @Test
    void median_ofAnEvenNumber_isTheMiddleOfTwo() {
        double[] figure = {0};

        Rounds rounds = Rounds.of(0, 4, round -> {}, List.of(() -> ++figure[0]));

        assertThat(rounds.median(0)).isEqualTo(2.5);
    }

    @Test
    void ratio_belowAShareOfTheRounds_liesBetweenTwoOfThem() {
        double[] figure = {0};

        Rounds rounds = Rounds.of(0, 4, round -> {}, List.of(() -> 2, () -> 2 * ++figure[0]));

        assertThat(rounds.ratio(1, 0, 0)).isEqualTo(1);
        assertThat(rounds.ratio(1, 0, 0.25)).isEqualTo(1.75);
        assertThat(rounds.ratio(1, 0, 1)).isEqualTo(4);
    }
}
