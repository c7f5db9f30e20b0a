package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeightedOrderTest {

    private static List<Draw> all(Sampler sampler, long size) {
        Draws draws = sampler.draws(size);
        return LongStream.range(0, draws.count()).mapToObj(draws::at).toList();
    }

    /** Pearson's statistic of a million draws; samples of weight 0 are not drawn. */
    private static double chiSquare(double... weights) {
        int draws = 1_000_000;
        long[] counts = new long[weights.length];
        all(Sampler.weighted(42, weights, draws), weights.length).forEach(draw -> counts[(int) draw.index()]++);
        double max = DoubleStream.of(weights).max().orElseThrow();
        double sum = DoubleStream.of(weights).map(weight -> weight / max).sum();
        double statistic = 0;
        for (int i = 0; i < weights.length; i++) {
            double expected = weights[i] / max / sum * draws;
            if (expected == 0) {
                assertThat(counts[i]).isZero();
            } else {
                statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
            }
        }
        return statistic;
    }

    @Test
    void draws_byManyKindsOfWeights_areAsFrequentAsTheyAre() {
        double[] random = new Random(7).doubles(101, 0.1, 1).toArray();
        double[] harmonic =
                LongStream.rangeClosed(1, 101).mapToDouble(i -> 1.0 / i).toArray();
        double[] equal = new double[101];
        Arrays.fill(equal, 3);

        // with 100 degrees of freedom: exceeded once in 100,000
        assertThat(chiSquare(random)).isLessThan(172);
        assertThat(chiSquare(harmonic)).isLessThan(172);
        assertThat(chiSquare(equal)).isLessThan(172);
        assertThat(chiSquare(0, 1, 0, 3, 0)).isLessThan(20); // 1 degree of freedom
        assertThat(chiSquare(1e308, 1e308, 1e308)).isLessThan(24);
        assertThat(chiSquare(Double.MIN_VALUE, Double.MIN_VALUE)).isLessThan(20);
        assertThat(chiSquare(1)).isZero();
    }

    @Property(tries = 300)
    void samples_ofWeightZero_areNeverDrawn(
            @ForAll @IntRange(min = 1, max = 200) int size, @ForAll @IntRange(max = 1 << 20) int made) {
        Random random = new Random(made);
        double[] weights = random.doubles(size)
                .map(weight -> random.nextInt(3) > 0 ? 0 : Math.pow(weight, 20))
                .toArray();
        weights[random.nextInt(size)] = 0.1;

        for (Draw draw : all(Sampler.weighted(made, weights, 2_000), size)) {
            assertThat(weights[(int) draw.index()]).isPositive();
        }
    }

    @Property(tries = 200)
    void ranks_ofAnyWorldSize_interleaveToTheGlobalOrderAndResume(
            @ForAll @IntRange(min = 1, max = 100) int size,
            @ForAll @IntRange(min = 1, max = 9) int worldSize,
            @ForAll @IntRange(max = 99) int cut) {
        double[] weights = new Random(size).doubles(size).toArray();
        Sampler sampler = Sampler.weighted(size, weights).remainder(Remainder.KEEP);
        List<Long> global = all(sampler, size).stream().map(Draw::index).toList();

        long offset = Math.min(cut, size);
        Long[] together = new Long[size];
        for (int rank = 0; rank < worldSize; rank++) {
            Sampler own = sampler.shard(Shard.of(rank, worldSize)).resumeAt(new Position(0, offset));
            int place = (int) offset + rank;
            for (Draw draw : all(own, size)) {
                together[place] = draw.index();
                place += worldSize;
            }
        }

        assertThat(Arrays.asList(together).subList((int) offset, size)).isEqualTo(global.subList((int) offset, size));
    }

    @Test
    void random_ofASampleDrawnAgain_isAnother() {
        Set<Long> dice = new HashSet<>();

        all(Sampler.weighted(1, new double[] {1}, 1_000).epochs(2), 1)
                .forEach(draw -> dice.add(draw.random("crop").nextLong()));

        assertThat(dice).hasSize(2_000);
    }

    @Test
    void draws_byBalancedWeights_areOfAllClassesAlike() {
        int[] labels = new int[1_000];
        Arrays.fill(labels, 0, 10, -7);
        Arrays.fill(labels, 10, 110, 3);
        long[] counts = new long[3];

        double[] weights = ClassWeights.balanced(labels);
        all(Sampler.weighted(42, weights, 30_000), 1_000)
                .forEach(draw -> counts[draw.index() < 10 ? 0 : draw.index() < 110 ? 1 : 2]++);

        assertThat(LongStream.of(counts).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(9_650L, 10_350L)); // ± 4 sigma
    }

    @Test
    void draws_goldenOrders_holdAcrossVersions() {
        Sampler sampler = Sampler.weighted(42, new double[] {1, 2, 0, 4, 3}, 10).epochs(2);

        assertThat(all(sampler, 5).stream().map(Draw::index)).containsExactly(GOLDEN);
        assertThat(sampler.order()).isEqualTo(GOLDEN_WORDS);
    }

    // users rely on this order to continue a run with a newer version: a change here breaks every saved position
    private static final Long[] GOLDEN = {4L, 4L, 0L, 3L, 4L, 3L, 0L, 4L, 3L, 4L, 3L, 1L, 4L, 3L, 3L, 4L, 1L, 3L, 0L, 4L
    };
    private static final String GOLDEN_WORDS = "weighted by 7a7c657fdcbf5e68";

    @ParameterizedTest
    @ValueSource(doubles = {-1, -1e-300, Double.NaN, Double.POSITIVE_INFINITY})
    void weight_thatIsNone_isNamed(double weight) {
        assertThatThrownBy(() -> Sampler.weighted(1, 1, weight))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("weight of sample 1 must be finite and at least 0, was " + weight);
    }

    @Test
    void sampler_usedWrongly_isRefused() {
        Sampler weighted = Sampler.weighted(1, 1, 2, 3);

        assertThatThrownBy(() -> Sampler.weighted(1, 0, 0)).hasMessage("of 2 weights at least one must be more than 0");
        assertThatThrownBy(() -> Sampler.weighted(1)).hasMessage("of 0 weights at least one must be more than 0");
        assertThatThrownBy(() -> weighted.draws(4))
                .hasMessage("this order has weights of 3 samples, the dataset has 4");
        assertThatThrownBy(() -> weighted.mode(ShardMode.reshardEvery(2)))
                .hasMessageStartingWith("shard mode must be global, was reshard=2: a weighted by");
        assertThatThrownBy(() -> Sampler.weighted(1, new double[] {1}, -1))
                .hasMessageStartingWith("draws of an epoch must be in [0, ");
    }
}
