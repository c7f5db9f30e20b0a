package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListedScheduleTest {

    private static final int MILLION = 1_000_000;

    /** A list made by chance: steps or lines, short and long, with weights of 0. */
    private static WeightList list(Random random, int draws) {
        int sources = 2 + random.nextInt(8);
        int entries = 1 + random.nextInt(7);
        long[] from = new long[entries];
        double[][] weights = new double[entries][];
        for (int entry = 0; entry < entries; entry++) {
            from[entry] = entry == 0 ? 0 : from[entry - 1] + 1 + random.nextInt(random.nextBoolean() ? 9 : draws / 8);
            weights[entry] = random.ints(sources, 0, random.nextBoolean() ? 4 : 10_000)
                    .asDoubleStream()
                    .toArray();
            weights[entry][random.nextInt(sources)]++;
        }
        return WeightList.of(from, weights, random.nextBoolean());
    }

    /** The largest deviation from the sums of the weights after any number of draws, by adding and counting. */
    private static double maxDeviation(WeightList list, int draws) {
        ListedSchedule schedule = new ListedSchedule(list, new long[list.sources()]);
        long[] drawn = new long[list.sources()];
        long[] sums = new long[list.sources()]; // before the segment, in multiples of 1 / (2 WHOLE)
        double max = 0;
        for (int segment = 0; segment < list.segments.length; segment++) {
            long[] within = new long[list.sources()];
            WeightSegment each = list.segments[segment];
            long length = Math.min(each.length(), draws - each.from());
            for (long place = 0; place < length; place++) {
                long draw = each.from() + place;
                int next = schedule.source(draw);
                if (schedule.before(draw, next) != drawn[next]++) {
                    return Double.NaN;
                }
                for (int source = 0; source < drawn.length; source++) {
                    within[source] +=
                            2 * each.scale() * each.weights()[source] + each.rises()[source] * (2 * place + 1);
                    double sum = (sums[source] + (double) within[source] / each.scale()) / (2.0 * WeightList.WHOLE);
                    max = Math.max(max, Math.abs(drawn[source] - sum));
                }
            }
            for (int source = 0; source < drawn.length; source++) {
                sums[source] += within[source] / each.scale();
            }
        }
        return max;
    }

    private static void assertWithinTijdemansBound(int seed, int draws) {
        WeightList list = list(new Random(seed), draws);

        double bound = 1 - 1.0 / (2 * list.sources() - 2);
        assertThat(maxDeviation(list, draws)).as("%s", list).isLessThanOrEqualTo(bound + 1e-9);
    }

    @Test
    void prefixes_ofWeightsThatChange_areWithinTijdemansBound() {
        for (int seed = 0; seed < 40; seed++) {
            assertWithinTijdemansBound(seed, 4_000);
        }
    }

    @Test
    @Tag("endurance")
    void prefixes_ofAMillionDraws_areWithinTijdemansBound() {
        for (int seed = 1_000; seed < 1_200; seed++) {
            assertWithinTijdemansBound(seed, MILLION);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 255})
    void prefixes_ofManySources_areWithinTijdemansBound(int sources) {
        Random random = new Random(sources);
        double[][] weights = {
            random.doubles(sources).toArray(), random.doubles(sources).toArray()
        };
        WeightList list = WeightList.of(new long[] {0, 3_000}, weights, true);

        assertThat(maxDeviation(list, 5_000)).isLessThanOrEqualTo(1 - 1.0 / (2 * sources - 2) + 1e-9);
    }

    @Test
    void sums_ofALine_areTheAreaBelowIt() {
        WeightList list = WeightList.of(new long[] {0, 4}, new double[][] {{1, 0}, {0, 1}}, true);

        assertThat(list.sum(0, 1)).isEqualTo(0.875);
        assertThat(list.sum(0, 4)).isEqualTo(2);
        assertThat(list.sum(1, 6)).isEqualTo(4);
    }

    @Test
    void draws_ofWeightsThatStay_areThoseOfOneAfterAnother() {
        double[][] weights = {{9, 1, 0}, {1, 2, 4}, {1, 1, 1}, {37, 63, 0}};
        for (long[] from : new long[][] {{0, 5_000, 5_003, 12_345}, {0, 4_095, 8_192, 8_200}}) {
            WeightList list = WeightList.of(from, weights, false);
            for (long[] before : new long[][] {{0, 0, 0}, {90, 12, 0}}) {
                DrawnSources walk = new DrawnSources(list, before);
                ListedSchedule schedule = new ListedSchedule(list, before);
                for (int draw = 0; draw < 40_000; draw++) {
                    int source = walk.draw();

                    assertThat(schedule.source(draw)).isEqualTo(source);
                    assertThat(schedule.before(draw, source))
                            .isEqualTo(walk.sources[source].count - 1 - before[source]);
                }
            }
        }
    }

    @Test
    void draws_reachedInAnyOrder_areThoseOfOneAfterAnother() {
        Random random = new Random(5);
        for (int tried = 0; tried < 12; tried++) {
            WeightList list = list(random, 60_000);
            DrawnSources walk = new DrawnSources(list, new long[list.sources()]);
            int[] sources = new int[80_000];
            Arrays.setAll(sources, draw -> walk.draw());
            ListedSchedule schedule = new ListedSchedule(list, new long[list.sources()]);

            for (int each = 0; each < 12; each++) {
                int draw = random.nextInt(sources.length);
                int source = sources[draw];
                long before = Arrays.stream(sources, 0, draw)
                        .filter(other -> other == source)
                        .count();
                assertThat(schedule.source(draw)).as("%s at %d", list, draw).isEqualTo(source);
                assertThat(schedule.before(draw, source)).isEqualTo(before);
                assertThat(schedule.count(source, draw)).isEqualTo(before);
                assertThat(schedule.find(source, before)).isEqualTo(draw);
            }
        }
    }

    @Test
    void draws_farBehindTheLastChange_areReachedByWholePeriods() {
        WeightList list = WeightList.of(new long[] {0, 1_000}, new double[][] {{0.9, 0.1}, {0.2, 0.8}}, true);
        ListedSchedule schedule = new ListedSchedule(list, 0, 0);
        long far = 1L << 60;

        long counted = schedule.count(0, far) + schedule.count(1, far);

        assertThat(counted).isEqualTo(far);
        assertThat((double) schedule.count(0, far)).isCloseTo(far * 0.2, within(1e5));
        assertThat(schedule.find(1, schedule.count(1, far))).isGreaterThanOrEqualTo(far);
    }

    @Test
    void source_thatIsNoLongerDrawn_isNeverFound() {
        WeightList list = WeightList.of(new long[] {0, 10}, new double[][] {{1, 1}, {0, 1}}, false);
        ListedSchedule schedule = new ListedSchedule(list, 0, 0);

        assertThat(schedule.find(0, 4)).isLessThan(10);
        assertThat(schedule.find(0, 5)).isEqualTo(Long.MAX_VALUE);
        assertThat(schedule.find(1, 5)).isEqualTo(10);
    }

    @Test
    void weights_thatChangeWithoutNotice_neverLeadByADraw() {
        Random random = new Random(9);
        double behind = 0;
        for (int tried = 0; tried < 30; tried++) {
            int sources = 2 + random.nextInt(8);
            long[] counts = new long[sources];
            double[] sums = new double[sources];
            for (int change = 0; change < 30; change++) {
                double[] weights = random.doubles(sources, 0.01, 1).toArray();
                int number = (int) Arrays.stream(counts).sum();
                // the list of what happened is longer each time, and its rest was not known before
                WeightList list = change == 0 ? first(weights) : grown(number, weights);
                DrawnSources drawn = new DrawnSources(list, counts);
                for (int draw = 1 + random.nextInt(20); draw > 0; draw--) {
                    counts[drawn.draw()]++;
                    for (int source = 0; source < sources; source++) {
                        sums[source] = list.sum(source, Arrays.stream(counts).sum());
                        assertThat(counts[source] - sums[source]).isLessThan(1);
                        behind = Math.max(behind, sums[source] - counts[source]);
                    }
                }
            }
        }
        assertThat(behind).isLessThan(2);
    }

    private long[] from = {};
    private double[][] entries = {};

    private WeightList first(double... weights) {
        from = new long[1];
        entries = new double[][] {weights};
        return WeightList.of(from, entries, false);
    }

    private WeightList grown(long draw, double... weights) {
        from = Arrays.copyOf(from, from.length + 1);
        from[from.length - 1] = draw;
        entries = Arrays.copyOf(entries, entries.length + 1);
        entries[entries.length - 1] = weights;
        return WeightList.of(from, entries, false);
    }

    @ParameterizedTest
    @CsvSource({"0=9:1", "0=9:1 50000=1:1 100000=1:4 line", "0=1:0:0 7=1:1:1"})
    void list_asText_isReadAgain(String text) {
        assertThat(WeightList.parse(text)).hasToString(text);
    }

    @Test
    void lists_outOfRange_areRefused() {
        double[][] two = {{1, 1}, {1, 2}};
        assertThatThrownBy(() -> WeightList.of(new long[] {0, 1L << 39}, two, false))
                .hasMessage("the draws of weights must ascend from 0 to 274,877,906,944 at most, were 0, 549755813888");
        assertThatThrownBy(() -> WeightList.of(new long[] {0, 1L << 35}, two, true))
                .hasMessage("a line of weights of 2 sources has 20,795,842,435 draws at most, the one from draw 0 has"
                        + " 34,359,738,368; put an entry into it");
        assertThatThrownBy(() -> WeightList.parse("0=1:16"))
                .hasMessage("the sum of weights is 17, which does not divide 13860000");
    }
}
