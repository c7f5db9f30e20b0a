package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BatchPlanTest {

    @Property(tries = 500)
    void plan_ofAnyRun_isWhatIsCut(
            @ForAll @IntRange(max = 100) int size,
            @ForAll @IntRange(max = 100) int offset,
            @ForAll @IntRange(max = 3) int epochs,
            @ForAll @IntRange(min = 1, max = 5) int worldSize,
            @ForAll @IntRange(max = 4) int rank,
            @ForAll @IntRange(min = 1, max = 20) int n,
            @ForAll boolean stable,
            @ForAll Remainder remainder) {
        Draws draws = Sampler.shuffled(3)
                .mode(stable ? ShardMode.stable() : ShardMode.global())
                .remainder(remainder)
                .epochs(epochs)
                .shard(Shard.of(Math.min(rank, worldSize - 1), worldSize))
                .resumeAt(new Position(epochs / 2, Math.min(offset, size)))
                .draws(size);

        BatchPlan plan = BatchPlan.of(draws, n, remainder);

        List<List<Draw>> batches = new ArrayList<>();
        for (long step = 0; step < plan.count(); step++) {
            batches.add(plan.draws(step));
        }
        assertThat(batches).isEqualTo(cut(draws, n, remainder));
    }

    /** A run that begins at the position of a batch, and has the draws of one, has those of this batch. */
    @Property(tries = 500)
    void position_ofAnyBatch_isWhereARunOfItBegins(
            @ForAll @IntRange(max = 60) int size,
            @ForAll @IntRange(max = 60) int offset,
            @ForAll @IntRange(min = 1, max = 4) int worldSize,
            @ForAll @IntRange(min = 1, max = 20) int n,
            @ForAll boolean stable,
            @ForAll Remainder remainder) {
        Sampler sampler = Sampler.shuffled(3)
                .mode(stable ? ShardMode.stable() : ShardMode.global())
                .remainder(remainder)
                .epochs(3)
                .shard(Shard.of(worldSize - 1, worldSize))
                .resumeAt(new Position(1, Math.min(offset, size)));
        BatchPlan plan = BatchPlan.of(sampler.draws(size), n, remainder);

        for (long step = 0; step < plan.count(); step++) {
            List<Draw> batch = plan.draws(step);
            Draws alone = sampler.resumeAt(plan.position(step)).first(n).draws(size);

            assertThat(batch.stream().map(Draw::index).toList())
                    .isEqualTo(LongStream.range(0, Math.min(batch.size(), alone.count()))
                            .mapToObj(number -> alone.at(number).index())
                            .toList());
            assertThat(batch.stream().map(Draw::next).toList())
                    .isEqualTo(LongStream.range(0, batch.size())
                            .mapToObj(number -> alone.at(number).next())
                            .toList());
        }
    }

    /** Else some would wait for others in their last step. */
    @Property(tries = 1000)
    void ranks_underAnyModeAlsoResumed_haveOneNumberOfBatches(
            @ForAll @IntRange(max = 1_000) int size,
            @ForAll @IntRange(max = 1_000) int offset,
            @ForAll @IntRange(min = 1, max = 17) int worldSize,
            @ForAll @IntRange(min = 1, max = 64) int n,
            @ForAll @IntRange(max = 24) int partitions,
            @ForAll boolean drop) {
        Remainder remainder = drop ? Remainder.DROP : Remainder.PAD;
        ShardMode mode =
                partitions == 0 ? ShardMode.global() : ShardMode.stable().partitions(partitions);
        Sampler sampler = Sampler.shuffled(3)
                .mode(mode)
                .remainder(remainder)
                .epochs(3)
                .resumeAt(new Position(1, Math.min(offset, size)));

        Set<Long> counts = new HashSet<>();
        for (int rank = 0; rank < worldSize; rank++) {
            Draws draws = sampler.shard(Shard.of(rank, worldSize)).draws(size);
            counts.add(BatchPlan.of(draws, n, remainder).count());
        }

        assertThat(counts).hasSize(1);
    }

    /** As in {@link BatchesModelTest}, which holds the batches themselves to it. */
    private static List<List<Draw>> cut(Draws draws, int n, Remainder remainder) {
        List<List<Draw>> batches = new ArrayList<>();
        List<Draw> drawn = new ArrayList<>();
        for (long number = 0; number < draws.count(); number++) {
            Draw draw = draws.at(number);
            drawn.add(draw);
            if (drawn.size() == n || draw.endsEpoch()) {
                if (drawn.size() == n || remainder != Remainder.DROP) {
                    batches.add(List.copyOf(drawn));
                }
                drawn.clear();
            }
        }
        return batches;
    }

    @Test
    void step_farOut_isFoundByArithmetic() {
        Draws draws = Sampler.shuffled(3).epochs(1_000_000).draws(1_000_000_000);

        BatchPlan plan = BatchPlan.of(draws, 256, Remainder.DROP);

        assertThat(plan.count()).isEqualTo(1_000_000L * 3_906_250);
        assertThat(plan.draws(plan.count() - 1)).hasSize(256).allMatch(draw -> draw.epoch() == 999_999);
    }

    @Test
    void numbers_outOfRange_areRefused() {
        BatchPlan plan = BatchPlan.of(Sampler.sequential().draws(10), 4, Remainder.KEEP);

        assertThat(plan.draws(2)).hasSize(2);
        assertThatThrownBy(() -> plan.draws(3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> BatchPlan.of(Sampler.sequential().draws(10), 0, Remainder.KEEP))
                .hasMessage("batch size must be in [1, 16777216], was 0");
    }
}
