package io.penstock.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Grouping;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TokenBudgetTest {

    private static List<long[]> groups(Grouping plan) {
        return LongStream.range(0, plan.size()).mapToObj(plan::members).toList();
    }

    private static int cells(long[] group, int[] lengths) {
        return group.length
                * Arrays.stream(group).mapToInt(i -> lengths[(int) i]).max().orElseThrow();
    }

    @Property(tries = 200)
    void groups_ofAnyLengths_haveEachSequenceOnceAndKeepTheBudget(
            @ForAll @Size(min = 1, max = 80) List<@IntRange(min = 1, max = 50) Integer> drawn,
            @ForAll @IntRange(min = 50, max = 200) int budget,
            @ForAll @IntRange(min = 1, max = 100) int window,
            @ForAll long seed) {
        int[] lengths = drawn.stream().mapToInt(length -> length).toArray();

        List<long[]> groups =
                groups(TokenBudget.of(budget).window(window).seed(seed).plan(lengths));

        assertThat(groups).allSatisfy(group -> assertThat(cells(group, lengths)).isBetween(1, budget));
        assertThat(groups.stream().flatMapToLong(Arrays::stream).sorted())
                .containsExactlyElementsOf(
                        LongStream.range(0, lengths.length).boxed().toList());
    }

    @Test
    void groups_ofTexts_padLittleAndDependOnTheSeed() {
        int[] lengths = Texts.lengths(40_000, 2_048, 5);
        Grouping plan = TokenBudget.of(16_384).seed(1).plan(lengths);

        long cells =
                groups(plan).stream().mapToLong(group -> cells(group, lengths)).sum();

        assertThat((double) Arrays.stream(lengths).asLongStream().sum() / cells).isGreaterThan(0.95);
        assertThat(groups(TokenBudget.of(16_384).seed(1).plan(lengths)).get(3)).isEqualTo(plan.members(3));
        assertThat(TokenBudget.of(16_384).seed(2).plan(lengths).members(3)).isNotEqualTo(plan.members(3));
        assertThat(TokenBudget.of(16_384).seed(2).plan(lengths).fingerprint()).isNotEqualTo(plan.fingerprint());
        assertThat(plan)
                .hasToString("%,d batches of at most 16,384 cells from 40,000 sequences".formatted(plan.size()));
    }

    @Test
    void groups_ofEmptySequences_areBoundedToo() {
        int[] lengths = IntStream.range(0, 100).map(i -> i == 0 ? 1 : 0).toArray();

        assertThat(groups(TokenBudget.of(10).plan(lengths)))
                .allSatisfy(group -> assertThat(group).hasSizeLessThanOrEqualTo(10));
    }

    @Test
    void wrongUse_isRefused() {
        assertThatThrownBy(() -> TokenBudget.of(0))
                .hasMessage("a budget and a window must be at least 1, were 0 cells, a window of 16,384");
        assertThatThrownBy(() -> TokenBudget.of(10).plan(new int[] {3, 11}))
                .hasMessage("sequence 1 has 11 tokens, a batch at most 10 cells; take larger batches");
        assertThatThrownBy(() -> TokenBudget.of(10).plan(new int[0])).hasMessageContaining("is the dataset empty?");
    }

    /** The largest sum of squared lengths among the batches of a step, by their mean, over all steps. */
    private static double imbalance(Grouping plan, int[] lengths, Sampler order, int world) {
        Draws draws = order.draws(plan.size());
        double sum = 0;
        long steps = plan.size() / world;
        for (long step = 0; step < steps; step++) {
            double[] costs = LongStream.range(step * world, (step + 1) * world)
                    .mapToDouble(number -> Arrays.stream(
                                    plan.members(draws.at(number).index()))
                            .mapToDouble(i -> (double) lengths[(int) i] * lengths[(int) i])
                            .sum())
                    .toArray();
            sum += Arrays.stream(costs).max().orElseThrow()
                    / Arrays.stream(costs).average().orElseThrow();
        }
        return sum / steps;
    }

    @Test
    void ranks_ofAStep_haveCostsMoreAlikeWhereNeighboursAreDrawnTogether() {
        int[] lengths = Texts.lengths(40_000, 2_048, 5);
        Grouping plan = TokenBudget.of(16_384).window(lengths.length).plan(lengths);

        for (int world : new int[] {2, 4, 8}) {
            double shuffled = imbalance(plan, lengths, Sampler.shuffled(1), world);
            double neighbours = imbalance(plan, lengths, Sampler.windowed(1, 8, 1), world);
            assertThat(neighbours - 1).isLessThan((shuffled - 1) / 3);
        }
    }
}
