package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.order.internal.Mixing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No order is likelier than another: of few samples and of many, of one epoch and from epoch to epoch. */
class UniformOrderTest {

    /** A correct order exceeds it once in about 30,000 tests; keys are fixed, so a test that passes goes on passing. */
    private static final double SIGMAS = 4;

    private static int[] order(int n, LongUnaryOperator at) {
        int[] order = new int[n];
        for (int position = 0; position < n; position++) {
            order[position] = (int) at.applyAsLong(position);
        }
        return order;
    }

    private static boolean isOdd(int[] order) {
        boolean odd = false;
        boolean[] seen = new boolean[order.length];
        for (int start = 0; start < order.length; start++) {
            for (int at = order[start]; !seen[start] && at != start; at = order[at]) {
                odd = !odd;
                seen[at] = true;
            }
            seen[start] = true;
        }
        return odd;
    }

    /** The number of an order of distinct values among all of them. */
    private static int rank(int... values) {
        int rank = 0;
        for (int i = 0; i < values.length; i++) {
            int smaller = 0;
            for (int j = i + 1; j < values.length; j++) {
                smaller += values[j] < values[i] ? 1 : 0;
            }
            rank = rank * (values.length - i) + smaller;
        }
        return rank;
    }

    private static void assertEquallyOften(int[] counts, String what) {
        double expected = 0;
        for (int count : counts) {
            expected += (double) count / counts.length;
        }
        double chiSquare = 0;
        for (int count : counts) {
            chiSquare += (count - expected) * (count - expected) / expected;
        }
        double freedom = counts.length - 1;
        // Wilson and Hilferty: the cube root is normal, also where there is little freedom
        double sigmas = (Math.cbrt(chiSquare / freedom) - (1 - 2 / (9 * freedom))) / Math.sqrt(2 / (9 * freedom));
        assertThat(sigmas)
                .as("%s: chi-square %.0f of %.0f", what, chiSquare, freedom)
                .isLessThan(SIGMAS);
    }

    private static void assertHalf(int odd, int of, String what) {
        assertThat((double) odd).as(what).isCloseTo(of / 2.0, within(SIGMAS * Math.sqrt(of) / 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7})
    void orders_ofFewSamples_areAllEquallyLikely(int n) {
        int orders = 1;
        for (int i = 2; i <= n; i++) {
            orders *= i;
        }
        int[] counts = new int[orders];

        for (int run = 0; run < 25 * orders; run++) {
            counts[rank(order(n, new Permutation(n, Mixing.fold(n, run))::index))]++;
        }

        assertEquallyOften(counts, "all orders of " + n);
    }

    @Tag("endurance") // a million permutations
    @Test
    void orders_ofEightSamples_areAllEquallyLikely() {
        orders_ofFewSamples_areAllEquallyLikely(8);
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 10, 11, 12, 16, 17, 24, 33, 64, 100, 256, 1_000, 65_536})
    void orders_ofEveryFourPositions_areEquallyLikely(int n) {
        int[][] places = {{0, 1, 2, 3}, {n - 4, n - 3, n - 2, n - 1}, {0, n / 3, n / 2, n - 1}};
        int[][] counts = new int[places.length][24];

        for (int run = 0; run < 40_000; run++) {
            Permutation permutation = new Permutation(n, Mixing.fold(n, run));
            for (int i = 0; i < places.length; i++) {
                counts[i][rank(order(4, at(permutation, places[i])))]++;
            }
        }

        for (int i = 0; i < places.length; i++) {
            assertEquallyOften(counts[i], "four of " + n);
        }
    }

    private static LongUnaryOperator at(Permutation permutation, int[] places) {
        return position -> permutation.index(places[(int) position]);
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 100, 1_000})
    void indices_ofTwoPositions_areIndependent(int n) {
        int tenths = 10;
        for (int[] places : new int[][] {{0, 1}, {n / 2, n - 1}}) {
            int[] counts = new int[tenths * tenths];

            int runs = 0;
            for (int key = 0; key < 100_000; key++) {
                Permutation permutation = new Permutation(n, Mixing.fold(n, key));
                long first = permutation.index(places[0]);
                long second = permutation.index(places[1]);
                if (first < n / tenths * tenths && second < n / tenths * tenths && first % tenths != second % tenths) {
                    counts[(int) (first % tenths * tenths + second % tenths)]++;
                    runs++;
                }
            }

            List<Integer> unequal = new ArrayList<>();
            for (int cell = 0; cell < counts.length; cell++) {
                if (cell / tenths != cell % tenths) {
                    unequal.add(counts[cell]);
                }
            }
            assertThat(runs).isPositive();
            assertEquallyOften(unequal.stream().mapToInt(Integer::intValue).toArray(), "pairs of " + n);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 128})
    void permutations_ofAnySize_areEvenAndOddEquallyOften(int n) {
        int runs = n <= 300 ? 10_000 : n <= 4_096 ? 1_000 : 100;
        int odd = 0;

        for (int run = 0; run < runs; run++) {
            odd += isOdd(order(n, new Permutation(n, Mixing.fold(7, run))::index)) ? 1 : 0;
        }

        assertHalf(odd, runs, "odd ones of " + n);
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(ints = {200, 255, 256, 257, 300, 1_000, 1_024, 4_096, 65_536})
    void permutations_ofLargerSizes_areEvenAndOddEquallyOften(int n) {
        permutations_ofAnySize_areEvenAndOddEquallyOften(n);
    }

    @Test
    void epochsAndSeeds_thatAreNeighbours_areIndependent() {
        int n = 6;
        int runs = 50_000;
        int[] epochs = new int[720];
        int[] seeds = new int[720];

        for (int run = 0; run < runs; run++) {
            int[] here = order(n, epoch(42, run, n));
            epochs[rank(between(here, order(n, epoch(42, run + 1, n))))]++;
            seeds[rank(between(order(n, epoch(run, 3, n)), order(n, epoch(run + 1, 3, n))))]++;
        }

        assertEquallyOften(epochs, "from epoch to epoch");
        assertEquallyOften(seeds, "from seed to seed");
    }

    private static LongUnaryOperator epoch(long seed, long epoch, long n) {
        return new Order.Shuffled().epoch(seed, epoch, n)::index;
    }

    /** What takes one order to another. */
    private static int[] between(int[] from, int[] to) {
        int[] between = new int[from.length];
        for (int i = 0; i < from.length; i++) {
            between[from[i]] = to[i];
        }
        return between;
    }

    /** A partition, and a window, is permuted evenly and oddly as often too. */
    @Test
    void parts_ofShardsAndWindows_areEvenAndOddEquallyOften() {
        int epochs = 4_000;
        int size = 64;
        int oddParts = 0;
        int oddWindows = 0;
        Order.Windowed windowed = new Order.Windowed(32, 1);
        PartitionedOrder stable = new PartitionedOrder(new Order.Shuffled(), 2, Long.MAX_VALUE, Long.MAX_VALUE, 1);

        for (int epoch = 0; epoch < epochs; epoch++) {
            Order.Epoch part = stable.epoch(42, epoch, size);
            oddParts += isOdd(order(32, position -> part.index(2 * position) / 2)) ? 1 : 0;
            Order.Epoch window = windowed.epoch(42, epoch, size);
            oddWindows += isOdd(order(32, position -> window.index(position) % 32)) ? 1 : 0;
        }

        assertHalf(oddParts, epochs, "odd partitions");
        assertHalf(oddWindows, epochs, "odd windows");
    }
}
