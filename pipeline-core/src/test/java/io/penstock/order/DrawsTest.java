package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Laws 2, 3 and 4: shards interleave, resuming is exact, epochs are permutations. */
class DrawsTest {

    private static final long SEED = 42;

    private static List<Draw> all(Sampler sampler, long size) {
        Draws draws = sampler.draws(size);
        return LongStream.range(0, draws.count()).mapToObj(draws::at).toList();
    }

    private static List<Long> indices(Sampler sampler, long size) {
        return all(sampler, size).stream().map(Draw::index).toList();
    }

    /** The draws of all ranks, in the order in which the ranks take turns. */
    private static List<Long> interleaved(Sampler sampler, int worldSize, long size) {
        List<List<Long>> ranks = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            ranks.add(indices(sampler.shard(Shard.of(rank, worldSize)), size));
        }
        List<Long> merged = new ArrayList<>();
        for (int step = 0; step < ranks.get(0).size(); step++) {
            for (List<Long> rank : ranks) {
                if (step < rank.size()) {
                    merged.add(rank.get(step));
                }
            }
        }
        return merged;
    }

    @Property(tries = 300)
    void draws_ofAllRanks_interleaveToTheGlobalOrder(
            @ForAll @IntRange(max = 300) int size,
            @ForAll @IntRange(min = 1, max = 17) int worldSize,
            @ForAll long seed) {
        Sampler sampler = Sampler.shuffled(seed);
        List<Long> global = indices(sampler, size);

        List<Long> kept = interleaved(sampler.remainder(Remainder.KEEP), worldSize, size);
        List<Long> dropped = interleaved(sampler.remainder(Remainder.DROP), worldSize, size);
        List<Long> padded = interleaved(sampler.remainder(Remainder.PAD), worldSize, size);

        assertThat(kept).isEqualTo(global);
        assertThat(dropped).isEqualTo(global.subList(0, size - size % worldSize));
        assertThat(padded)
                .hasSize((size + worldSize - 1) / worldSize * worldSize)
                .startsWith(global.toArray(Long[]::new));
        assertThat(padded.subList(size, padded.size())).allMatch(index -> index == Draw.PADDING);
    }

    @Property(tries = 200)
    void draws_oneEpoch_areAPermutation(
            @ForAll @IntRange(min = 1, max = 1_000) int size,
            @ForAll @IntRange(min = 1, max = 100) int window,
            @ForAll long seed) {
        for (Sampler sampler : List.of(Sampler.sequential(), Sampler.shuffled(seed), Sampler.windowed(seed, window))) {
            List<Long> drawn = indices(sampler, size);
            assertThat(drawn).hasSize(size);
            assertThat(new HashSet<>(drawn)).hasSize(size);
        }
    }

    @Property(tries = 300)
    void resumeAt_anyDraw_repeatsAndSkipsNothing(
            @ForAll @IntRange(min = 1, max = 120) int size,
            @ForAll @IntRange(min = 1, max = 9) int before,
            @ForAll @IntRange(min = 1, max = 9) int after,
            @ForAll @IntRange(max = 1_000) int cut) {
        Sampler sampler = Sampler.shuffled(SEED).epochs(3);
        List<Long> global = indices(sampler, size);
        List<Draw> rankZero = all(sampler.shard(Shard.of(0, before)), size);
        Draw last = rankZero.get(cut % rankZero.size());

        List<Long> rest = interleaved(sampler.resumeAt(last.next()), after, size);

        Position next = last.next();
        int consumed = (int) Math.min(global.size(), next.epoch() * size + next.offset());
        assertThat(rest.stream().filter(index -> index != Draw.PADDING))
                .containsExactlyElementsOf(global.subList(consumed, global.size()));
    }

    /** Ranks are compared at the same draw of an epoch; one that has fewer draws than that has made all of its own. */
    @Property(tries = 300)
    void resumeAt_positionOfAnyRank_skipsNoDrawOfAnother(
            @ForAll @IntRange(min = 1, max = 60) int size,
            @ForAll @IntRange(min = 1, max = 7) int worldSize,
            @ForAll @IntRange(min = 1, max = 7) int after,
            @ForAll @IntRange(max = 60) int cut,
            @ForAll boolean stable) {
        Sampler sampler = Sampler.shuffled(SEED)
                .mode(stable ? ShardMode.stable().partitions(3) : ShardMode.global())
                .remainder(Remainder.KEEP);
        Set<Long> drawn = new HashSet<>();
        List<Position> saved = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            List<Draw> draws = all(sampler.shard(Shard.of(rank, worldSize)), size);
            List<Draw> made = draws.subList(0, Math.min(cut + 1, draws.size()));
            made.forEach(draw -> drawn.add(draw.index()));
            made.stream().skip(cut).forEach(last -> saved.add(last.next()));
            made.stream().filter(Draw::endsEpoch).forEach(last -> saved.add(last.next()));
        }

        for (Position position : saved) {
            Set<Long> seen = new HashSet<>(drawn);
            for (int rank = 0; rank < after; rank++) {
                seen.addAll(indices(sampler.resumeAt(position).shard(Shard.of(rank, after)), size));
            }

            assertThat(seen).hasSize(size);
        }
    }

    @Property(tries = 200)
    void epoch_oneAfterAnother_areTheDrawsOfTheWholeRun(
            @ForAll @IntRange(max = 50) int size,
            @ForAll @IntRange(min = 1, max = 5) int worldSize,
            @ForAll @IntRange(max = 250) int from,
            @ForAll Remainder remainder) {
        Sampler run = Sampler.shuffled(SEED)
                .remainder(remainder)
                .shard(Shard.of(worldSize - 1, worldSize))
                .epochs(5);
        Position start = size == 0 ? Position.START : new Position(from / 50, from % (size + 1));

        List<Draw> epochs = new ArrayList<>();
        for (long epoch = 0; epoch < 5; epoch++) {
            epochs.addAll(all(run.resumeAt(start).epoch(epoch), size));
        }

        assertThat(epochs).isEqualTo(all(run.resumeAt(start), size));
        assertThatThrownBy(() -> run.epoch(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Sizes on both sides of 2^15, where the rounds of a permutation change: below, a group makes draws one by one. */
    @Property(tries = 200)
    void at_groupOfLargeAndSmallSources_isItsDrawsOneByOne(
            @ForAll @IntRange(min = 1, max = 70_000) int small,
            @ForAll @LongRange(min = 30_000, max = 1L << 40) long large,
            @ForAll @LongRange(max = 100_000) long from,
            @ForAll @IntRange(min = 2, max = 130) int group,
            @ForAll boolean mixed) {
        Sampler shuffled = Sampler.shuffled(SEED);
        Sampler run = mixed
                ? shuffled.mixed(Proportions.of(small, 0.5).and(large, 0.3).and(12, 0.2))
                        .epochs(1_000_000)
                : shuffled.epochs(100);
        Draws draws = run.draws(mixed ? small + large + 12 : large);

        Draw[] drawn = new Draw[group];
        draws.at(from, drawn);

        assertThat(drawn)
                .containsExactly(
                        LongStream.range(from, from + group).mapToObj(draws::at).toArray(Draw[]::new));
    }

    @Property(tries = 500)
    void at_group_isItsDrawsOneByOne(
            @ForAll @IntRange(min = 1, max = 300) int size,
            @ForAll @IntRange(max = 5) int kind,
            @ForAll @IntRange(min = 1, max = 5) int worldSize,
            @ForAll @IntRange(min = 1, max = 40) int group,
            @ForAll Remainder remainder) {
        Sampler sampler = switch (kind) {
            case 0 -> Sampler.sequential();
            case 1 -> Sampler.windowed(SEED, 7);
            case 2 -> Sampler.shuffled(SEED).mode(ShardMode.stable());
            case 3 -> Sampler.shuffled(SEED).mixed(Proportions.of(size, 0.7).and(3, 0.3));
            case 4 ->
                Sampler.weighted(
                        SEED, LongStream.range(1, size + 1).asDoubleStream().toArray(), size);
            default -> Sampler.shuffled(SEED);
        };
        Sampler run = sampler.remainder(remainder)
                .shard(Shard.of(worldSize - 1, worldSize))
                .epochs(3);
        int samples = kind == 3 ? size + 3 : size;
        Draws draws = run.draws(samples);

        List<Draw> drawn = new ArrayList<>();
        while (drawn.size() < draws.count()) {
            Draw[] some = new Draw[(int) Math.min(group, draws.count() - drawn.size())];
            draws.at(drawn.size(), some);
            drawn.addAll(List.of(some));
        }

        assertThat(drawn).isEqualTo(all(run, samples));
        assertThatThrownBy(() -> draws.at(draws.count(), new Draw[1])).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> draws.at(-1, new Draw[2])).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void draws_epochsAndSeeds_differ() {
        List<Long> drawn = indices(Sampler.shuffled(SEED).epochs(2), 100);
        List<Long> neighbour = indices(Sampler.shuffled(SEED + 1), 100);

        assertThat(drawn.subList(0, 100)).isNotEqualTo(drawn.subList(100, 200));
        // adding seed and epoch would make these two the same
        assertThat(drawn.subList(100, 200)).isNotEqualTo(neighbour);
    }

    @Test
    void draws_goldenOrders_holdAcrossVersions() {
        assertThat(indices(Sampler.shuffled(42).epochs(2), 10)).containsExactly(GOLDEN_SHUFFLED);
        assertThat(indices(Sampler.windowed(42, 4, 2), 23)).containsExactly(GOLDEN_WINDOWED);
        assertThat(Sampler.shuffled(42)
                        .draws(1_000_000_000_000L)
                        .at(123_456_789_012L)
                        .index())
                .isEqualTo(GOLDEN_FAR);
    }

    // users rely on these orders to continue a run with a newer version: a change here breaks every saved position
    private static final Long[] GOLDEN_SHUFFLED = {
        3L, 1L, 8L, 7L, 9L, 5L, 0L, 2L, 6L, 4L, 9L, 7L, 4L, 6L, 0L, 3L, 5L, 8L, 2L, 1L
    };
    private static final Long[] GOLDEN_WINDOWED = {
        2L, 19L, 15L, 17L, 14L, 1L, 18L, 13L, 0L, 3L, 16L, 12L, 9L, 20L, 7L, 4L, 8L, 22L, 11L, 21L, 6L, 10L, 5L
    };
    private static final long GOLDEN_FAR = 840_727_881_614L;

    @Test
    void endsEpoch_isTheLastDrawOfEachRank() {
        List<Draw> drawn = all(Sampler.sequential().epochs(2).shard(Shard.of(1, 4)), 10);

        assertThat(drawn).hasSize(6);
        assertThat(drawn.stream().map(Draw::endsEpoch)).containsExactly(false, false, true, false, false, true);
        assertThat(drawn.stream().map(Draw::next))
                .containsExactly(
                        new Position(0, 4),
                        new Position(0, 8),
                        new Position(1, 0),
                        new Position(1, 4),
                        new Position(1, 8),
                        new Position(2, 0));
    }

    @Test
    void draws_trillionSamplesForever_countsWithoutOverflow() {
        Draws draws = Sampler.shuffled(SEED).epochs(Long.MAX_VALUE).draws(1_000_000_000_000L);

        assertThat(draws.count()).isPositive();
        assertThat(draws.at(draws.count() - 1).epoch()).isPositive();
    }

    @Test
    void draws_badArguments_areNamed() {
        assertThatThrownBy(
                        () -> Sampler.sequential().resumeAt(new Position(0, 11)).draws(10))
                .hasMessage("position offset 11 lies outside the dataset of 10 samples; was it saved with other data?");
        assertThatThrownBy(() -> Sampler.windowed(1, 0)).hasMessage("window must be at least 1, was 0");
        assertThatThrownBy(() -> Sampler.sequential().epochs(-1)).hasMessage("epochs must not be negative: -1");
        assertThatThrownBy(() -> new Position(-1, 0)).hasMessage("position must not be negative: epoch -1, offset 0");
        Draws three = Sampler.sequential().first(3).draws(10);
        three.at(0);
        three.at(1); // makes the next ones, too
        assertThatThrownBy(() -> three.at(3)).hasMessage("draw must be in [0, 3), was 3");
    }

    /** Whatever the ranks, where a run began and how it ends. */
    @Property(tries = 500)
    void ahead_ofAnyDraw_isOfTheWindowsThatFollow(
            @ForAll @IntRange(min = 1, max = 400) int size,
            @ForAll @IntRange(min = 1, max = 20) int window,
            @ForAll @IntRange(min = 1, max = 9) int interleaved,
            @ForAll @IntRange(min = 1, max = 5) int worldSize,
            @ForAll @IntRange(max = 400) int start,
            @ForAll Remainder remainder,
            @ForAll long seed) {
        Sampler sampler = Sampler.windowed(seed, window, interleaved).epochs(3);
        Sampler rank = sampler.resumeAt(sampler.draws(size).position(Math.min(start, 2L * size)))
                .shard(Shard.of(Math.floorMod(seed, worldSize), worldSize))
                .remainder(remainder);
        Draws draws = rank.draws(size);

        for (long number = 0; number < draws.count(); ) {
            Draws.Ahead ahead = Objects.requireNonNull(draws.ahead(number));
            assertThat(ahead.number()).isGreaterThan(number);
            assertThat(draws.ahead(ahead.number() - 1)).satisfies(last -> {
                assertThat(last.number()).isEqualTo(ahead.number());
                assertThat(last.indices()).isEqualTo(ahead.indices());
            });
            if (ahead.number() == draws.count()) {
                assertThat(ahead.indices()).isEmpty();
                return;
            }
            long end = Objects.requireNonNull(draws.ahead(ahead.number())).number();
            Set<Long> told = new HashSet<>();
            for (int i = 0; i < ahead.indices().length; i += 2) {
                assertThat(ahead.indices()[i] % window).isZero();
                assertThat(ahead.indices()[i + 1]).isEqualTo(Math.min(size, ahead.indices()[i] + window) - 1);
                told.add(ahead.indices()[i] / window);
            }
            Set<Long> drawn = new HashSet<>();
            for (long next = ahead.number(); next < end; next++) {
                Draw draw = draws.at(next);
                if (draw.index() != Draw.PADDING) {
                    drawn.add(draw.index() / window);
                }
            }
            assertThat(told).containsAll(drawn);
            if (worldSize == 1) {
                assertThat(drawn).isEqualTo(told);
            }
            number = ahead.number();
        }
    }

    @Test
    void ahead_inAnOrderWithoutWindows_isNothing() {
        assertThat(Sampler.shuffled(SEED).draws(10).ahead(3)).isNull();
        assertThat(Sampler.sequential().draws(10).ahead(3)).isNull();
        assertThatThrownBy(() -> Sampler.windowed(SEED, 2).draws(10).ahead(10))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
