package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.FormPlan.Held;
import io.penstock.cache.FormPlan.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FormPlanTest {

    private static final int CORES = 2;
    private static final int WINDOW = 32;
    private static final double MICROS = 1e3;

    private static final Held PLAIN = new Held(150_528, 0);
    private static final Held PACKED = new Held(61_700, 430 * MICROS);

    /** Photos that are decoded in 1.2 ms. */
    private static final Kind PHOTOS =
            new Kind(10_000, new MeasuredLoader.Cost(1_200 * MICROS, 50 * MICROS), List.of(PLAIN, PACKED));

    /** Small pictures, whose packed form takes as long as a load. */
    private static final Kind SMALL = new Kind(
            30_000,
            new MeasuredLoader.Cost(150 * MICROS, 20 * MICROS),
            List.of(new Held(30_000, 0), new Held(6_300, 150 * MICROS)));

    /** Records without a stage, which do not become shorter. */
    private static final Kind RECORDS = new Kind(5_000, new MeasuredLoader.Cost(0, 900 * MICROS), List.of(PLAIN));

    /** Photos 100 ms away. */
    private static final Kind FAR =
            new Kind(10_000, new MeasuredLoader.Cost(1_200 * MICROS, 100_000 * MICROS), List.of(PLAIN, PACKED));

    private record Mix(String name, List<Kind> kinds, double share) {
        double bytes() {
            return share
                    * kinds.stream()
                            .mapToDouble(
                                    kind -> kind.samples() * kind.forms().get(0).bytes())
                            .sum();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Mix> mixes() {
        return Stream.of(
                new Mix("photos, 30 %", List.of(PHOTOS), 0.3),
                new Mix("photos and small pictures, 20 %", List.of(PHOTOS, SMALL), 0.2),
                new Mix("photos, small pictures and records, 50 %", List.of(PHOTOS, SMALL, RECORDS), 0.5),
                new Mix("near and far photos, 30 %", List.of(PHOTOS, FAR), 0.3),
                new Mix("far photos and records, 35 %", List.of(FAR, RECORDS), 0.35));
    }

    @ParameterizedTest
    @MethodSource("mixes")
    void plan_ofAMix_isWithinFivePercentOfTheLinearProgram(Mix mix) {
        double[][] plan = new FormPlan(mix.kinds, mix.bytes(), CORES, WINDOW).best();

        assertThat(epoch(mix.kinds, plan)).isLessThanOrEqualTo(1.05 * bound(mix.kinds, mix.bytes()));
        assertThat(bytes(mix.kinds, plan)).isLessThanOrEqualTo(1.000001 * mix.bytes());
        for (double[] shares : plan) {
            assertThat(Arrays.stream(shares).sum()).isBetween(0.0, 1.000001);
            assertThat(Arrays.stream(shares).min().orElseThrow()).isGreaterThan(-1e-9);
        }
    }

    private static double epoch(List<Kind> kinds, double[][] shares) {
        return Arrays.stream(new FormPlan(kinds, 0, CORES, WINDOW).busy(shares))
                .max()
                .orElseThrow();
    }

    /** No plan is faster: the largest value of the dual, over prices of the processors, the source and a byte. */
    private static double bound(List<Kind> kinds, double bytes) {
        double best = 0;
        for (double price = 0; price <= 1; price += 1.0 / 512) {
            for (double aByte = 1e-4; aByte < 1e3; aByte *= 1.05) {
                double dual = -aByte * bytes;
                for (Kind kind : kinds) {
                    double least = price * kind.loading().processor() / CORES
                            + (1 - price) * kind.loading().source() / WINDOW;
                    for (Held held : kind.forms()) {
                        least = Math.min(least, price * held.nanos() / CORES + aByte * held.bytes());
                    }
                    dual += kind.samples() * least;
                }
                best = Math.max(best, dual);
            }
        }
        return best;
    }

    private static double bytes(List<Kind> kinds, double[][] plan) {
        double bytes = 0;
        for (int kind = 0; kind < plan.length; kind++) {
            for (int form = 0; form < plan[kind].length; form++) {
                bytes += kinds.get(kind).samples()
                        * plan[kind][form]
                        * kinds.get(kind).forms().get(form).bytes();
            }
        }
        return bytes;
    }

    @Test
    void plan_withRoomForAll_isPlain() {
        double[][] plan = new FormPlan(List.of(PHOTOS, SMALL), 1e12, CORES, WINDOW).best();

        assertThat(plan).isDeepEqualTo(new double[][] {{1, 0}, {1, 0}});
    }

    @Test
    void plan_ofPhotosInHalfTheBytes_isTheFigureOfTheResearch() {
        double plain = epoch(List.of(PHOTOS), new double[][] {{0.5, 0}});

        double[][] plan = new FormPlan(List.of(PHOTOS), 0.5 * 10_000 * 150_528, CORES, WINDOW).best();

        assertThat(epoch(List.of(PHOTOS), plan) / plain).isLessThan(0.7);
    }
}
