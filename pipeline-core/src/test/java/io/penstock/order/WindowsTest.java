package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows that take turns: batches are mixed, and few windows are open at a time, each read through. */
class WindowsTest {

    /** The mean square by which the number of a class in a batch differs from its share, over all batches and classes. */
    private static double variance(Sampler sampler, int size, int ofAClass, int batch) {
        double sum = 0;
        long counted = 0;
        int classes = (size + ofAClass - 1) / ofAClass;
        for (int seed = 0; seed < 5; seed++) {
            Draws draws = sampler.seed(seed).draws(size);
            for (int from = 0; from + batch <= size; from += batch) {
                int[] counts = new int[classes];
                for (int i = from; i < from + batch; i++) {
                    counts[(int) draws.at(i).index() / ofAClass]++;
                }
                for (int label = 0; label < classes; label++) {
                    double share = (double) Math.min(ofAClass, size - label * ofAClass) / size;
                    sum += (counts[label] - share * batch) * (counts[label] - share * batch);
                    counted++;
                }
            }
        }
        return sum / counted;
    }

    @ParameterizedTest
    @CsvSource({
        "10000, 1000, 100", "10000, 500, 100", "10000, 100, 100", "10000, 2500, 100", "10000, 150, 100",
        "10050, 1000, 100", "6450, 645, 100", "12750, 600, 100", "10000, 1000, 30", "40000, 4000, 100",
        "60050, 600, 100"
    })
    void batches_ofClassSortedData_areNearlyAsMixedAsByAFullShuffle(int size, int ofAClass, int window) {
        double shuffled = variance(Sampler.shuffled(0), size, ofAClass, 100);
        double windowed = variance(Sampler.windowed(0, window), size, ofAClass, 100);
        double oneAtATime = variance(Sampler.windowed(0, window, 1), size, ofAClass, 100);

        assertThat(windowed).isLessThan(2 * shuffled);
        assertThat(oneAtATime).isGreaterThan(10 * shuffled); // what the number of open windows is for
    }

    /** In any order of the draws, and of more windows at once than are kept. */
    @Property(tries = 300)
    void indices_ofManyDraws_areThoseOfEach(
            @ForAll @IntRange(min = 1, max = 20_000) int size,
            @ForAll @IntRange(min = 1, max = 40) int window,
            @ForAll @IntRange(min = 1, max = 3_000) int interleaved,
            @ForAll long seed) {
        Order.Epoch order = new Order.Windowed(window, interleaved).epoch(seed, 0, size);
        long[] together = new Random(seed).longs(100, 0, size).toArray();
        long[] each = together.clone();

        order.indices(together, new long[100]);

        for (int i = 0; i < each.length; i++) {
            each[i] =
                    new Order.Windowed(window, interleaved).epoch(seed, 0, size).index(each[i]);
        }
        assertThat(together).isEqualTo(each);
    }

    @Property(tries = 300)
    void windows_openAtATime_areFewAndReadThrough(
            @ForAll @IntRange(min = 1, max = 2_000) int size,
            @ForAll @IntRange(min = 1, max = 40) int window,
            @ForAll @IntRange(min = 1, max = 20) int interleaved,
            @ForAll long seed) {
        Draws draws = Sampler.windowed(seed, window, interleaved).draws(size);
        Map<Long, Integer> left = new HashMap<>();
        Set<Long> open = new HashSet<>();
        int most = 0;

        for (int number = 0; number < size; number++) {
            long which = draws.at(number).index() / window;
            int length = (int) Math.min(window, size - which * window);
            open.add(which);
            most = Math.max(most, open.size());
            if (left.merge(which, 1, Integer::sum) == length) {
                open.remove(which);
            }
        }

        assertThat(open).isEmpty();
        assertThat(most).isLessThanOrEqualTo(2 * interleaved); // the shorter one among them
    }

    @Test
    void rounds_takeEachOpenWindowOnce() {
        Draws draws = Sampler.windowed(42, 10, 5).draws(1_000);

        for (int round = 0; round < 1_000; round += 5) {
            Set<Long> windows = new HashSet<>();
            for (int i = round; i < round + 5; i++) {
                windows.add(draws.at(i).index() / 10);
            }
            assertThat(windows).hasSize(5);
        }
    }

    @Test
    void shorterWindow_isInAnotherPlaceEveryEpoch() {
        Draws draws = Sampler.windowed(42, 10, 2).epochs(20).draws(1_005);
        Set<Integer> tenths = new HashSet<>();

        for (int epoch = 0; epoch < 20; epoch++) {
            for (int i = 0; i < 1_005; i++) {
                if (draws.at(epoch * 1_005L + i).index() >= 1_000) {
                    tenths.add(i / 101);
                }
            }
        }

        assertThat(tenths).hasSizeGreaterThan(5);
    }
}
