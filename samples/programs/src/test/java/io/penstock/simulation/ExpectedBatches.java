package io.penstock.simulation;

import io.penstock.internal.Substitutes;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What one rank must be given, worked out without a stream.
 *
 * @param batches in order, up to the first sample that ends the run
 * @param ends    the numbers of those that end an epoch, where the run does not fail
 * @param fails   whether the run ends in an error behind them
 * @param samples of each epoch, those behind the error too
 */
record ExpectedBatches(List<List<Item>> batches, Set<Integer> ends, boolean fails, Map<Long, List<Item>> samples) {

    static ExpectedBatches of(Scenario scenario, Sampler sampler, int batchSize) {
        Draws draws = sampler.draws(scenario.samples());
        List<Draw> left = left(draws, sampler.start().ahead());
        List<List<Item>> batches = new ArrayList<>();
        Set<Integer> ends = new HashSet<>();
        Map<Long, List<Item>> samples = new HashMap<>();
        List<Item> rows = new ArrayList<>();
        boolean fails = false;
        int drawn = 0;
        int firstOfEpoch = 0;
        for (int i = 0; i < left.size(); i++) {
            Draw draw = left.get(i);
            boolean endsEpoch = i == left.size() - 1 || left.get(i + 1).epoch() != draw.epoch();
            drawn++;
            if (!draw.isPadding()) {
                Draw used = used(scenario, draw);
                fails |= used == null && scenario.policy() != Scenario.Policy.SKIP;
                if (used != null) {
                    rows.add(Item.expected(used));
                    samples.computeIfAbsent(draw.epoch(), epoch -> new ArrayList<>())
                            .add(Item.expected(used));
                }
            }
            if (fails) {
                continue;
            }
            if (drawn == batchSize || endsEpoch) {
                if (drawn == batchSize || scenario.remainder() != Remainder.DROP) {
                    batches.add(rows);
                }
                rows = new ArrayList<>();
                drawn = 0;
            }
            if (endsEpoch) {
                if (batches.size() > firstOfEpoch) {
                    ends.add(batches.size() - 1);
                }
                firstOfEpoch = batches.size();
            }
        }
        return new ExpectedBatches(batches, ends, fails, samples);
    }

    /** Without those that were delivered ahead of their turn, by the run that is resumed. */
    private static List<Draw> left(Draws draws, BigInteger ahead) {
        return LongStream.range(0, draws.count())
                .filter(number -> !ahead.testBit((int) number))
                .mapToObj(draws::at)
                .toList();
    }

    /** The draw that is delivered in the place of this one, if any. */
    private static @Nullable Draw used(Scenario scenario, Draw draw) {
        if (!scenario.broken().contains(draw.index()) || scenario.policy() == Scenario.Policy.RETRY) {
            return draw;
        }
        if (scenario.policy() == Scenario.Policy.SUBSTITUTE) {
            for (int attempt = 1; attempt <= Substitutes.MAX; attempt++) {
                Draw other = Substitutes.of(draw, attempt, scenario.samples());
                if (!scenario.broken().contains(other.index())) {
                    return other;
                }
            }
        }
        return null;
    }
}
