package io.penstock.simulation;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.ErrorPolicy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one rank must be given, worked out without a stream.
 *
 * @param batches in order, up to the first sample that ends the run
 * @param ends    the numbers of those that end an epoch, where the run does not fail
 * @param fails   whether the run ends in an error behind them
 */
record ExpectedBatches(List<List<Item>> batches, Set<Integer> ends, boolean fails) {

    static ExpectedBatches of(Scenario scenario, Sampler sampler, int batchSize) {
        Draws draws = sampler.draws(scenario.samples());
        List<List<Item>> batches = new ArrayList<>();
        Set<Integer> ends = new HashSet<>();
        List<Item> rows = new ArrayList<>();
        int drawn = 0;
        int firstOfEpoch = 0;
        for (long number = 0; number < draws.count(); number++) {
            Draw draw = draws.at(number);
            drawn++;
            if (!draw.isPadding()) {
                Draw used = used(scenario, draw);
                if (used == null && scenario.policy() != Scenario.Policy.SKIP) {
                    return new ExpectedBatches(batches, ends, true);
                }
                if (used != null) {
                    rows.add(Item.expected(used));
                }
            }
            if (drawn == batchSize || draw.endsEpoch()) {
                if (drawn == batchSize || scenario.remainder() != Remainder.DROP) {
                    batches.add(rows);
                }
                rows = new ArrayList<>();
                drawn = 0;
            }
            if (draw.endsEpoch()) {
                if (batches.size() > firstOfEpoch) {
                    ends.add(batches.size() - 1);
                }
                firstOfEpoch = batches.size();
            }
        }
        return new ExpectedBatches(batches, ends, false);
    }

    /** The draw that is delivered in the place of this one, if any. */
    private static @Nullable Draw used(Scenario scenario, Draw draw) {
        if (!scenario.broken().contains(draw.index()) || scenario.policy() == Scenario.Policy.RETRY) {
            return draw;
        }
        if (scenario.policy() == Scenario.Policy.SUBSTITUTE) {
            for (int attempt = 1; attempt <= ErrorPolicy.SUBSTITUTES; attempt++) {
                Draw other = ErrorPolicy.substituteFor(draw, attempt, scenario.samples());
                if (!scenario.broken().contains(other.index())) {
                    return other;
                }
            }
        }
        return null;
    }
}
