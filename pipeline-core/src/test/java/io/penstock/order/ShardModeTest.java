package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds of shards under every mode, order and remainder, at every world size. */
class ShardModeTest {

    private static final int EPOCHS = 3;

    @Provide
    Arbitrary<ShardMode> modes() {
        Arbitrary<ShardMode> bare = Arbitraries.of(
                ShardMode.global(),
                ShardMode.stable(),
                ShardMode.reshardEvery(1),
                ShardMode.reshardEvery(2),
                ShardMode.reshardEvery(7));
        Arbitrary<Integer> partitions = Arbitraries.integers().between(0, 24);
        return Combinators.combine(bare, partitions).as((mode, number) -> number == 0 ? mode : mode.partitions(number));
    }

    @Provide
    Arbitrary<Sampler> samplers() {
        return Arbitraries.longs()
                .flatMap(seed -> Arbitraries.of(
                        Sampler.sequential(),
                        Sampler.shuffled(seed),
                        Sampler.windowed(seed, 1),
                        Sampler.windowed(seed, 16, 2),
                        Sampler.windowed(seed, 5, 3),
                        Sampler.windowed(seed, 100)));
    }

    @Property(tries = 1000)
    void shards_underAnyMode_areDisjointCoverAndKeepStep(
            @ForAll("samplers") Sampler orders,
            @ForAll("modes") ShardMode mode,
            @ForAll Remainder remainder,
            @ForAll @IntRange(max = 1_000) int size,
            @ForAll @IntRange(min = 1, max = 17) int worldSize) {
        Sampler sampler = orders.mode(mode).remainder(remainder).epochs(EPOCHS);
        long wanted = remainder == Remainder.DROP ? size - size % worldSize : size;

        Set<Integer> steps = new HashSet<>();
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            List<Long> drawn = new ArrayList<>();
            for (int rank = 0; rank < worldSize; rank++) {
                List<Long> own = indices(sampler.shard(Shard.of(rank, worldSize)), size, epoch);
                drawn.addAll(own);
                steps.add(own.size());
            }
            List<Long> real =
                    drawn.stream().filter(index -> index != Draw.PADDING).toList();
            assertThat(real).hasSize((int) wanted).doesNotHaveDuplicates();
            assertThat(real).allMatch(index -> index >= 0 && index < size);
        }

        int most = (size + worldSize - 1) / worldSize;
        if (remainder == Remainder.KEEP) {
            assertThat(steps).allMatch(each -> each == most || each == most - 1);
        } else {
            assertThat(steps).containsExactly(remainder == Remainder.PAD ? most : size / worldSize);
        }
    }

    @Property(tries = 500)
    void globalOrder_ofOneNumberOfPartitions_isTheSameAtEveryWorldSize(
            @ForAll("samplers") Sampler orders,
            @ForAll("modes") ShardMode mode,
            @ForAll @IntRange(max = 1_000) int size,
            @ForAll @IntRange(min = 1, max = 24) int partitions,
            @ForAll @IntRange(min = 1, max = 17) int worldSize) {
        Sampler sampler =
                orders.mode(mode.partitions(partitions)).epochs(EPOCHS).remainder(Remainder.KEEP);

        List<Long> alone = new ArrayList<>();
        List<Long> together = new ArrayList<>();
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            alone.addAll(indices(sampler, size, epoch));
            together.addAll(interleaved(sampler, worldSize, size, epoch));
        }

        assertThat(together).isEqualTo(alone);
    }

    @Property(tries = 500)
    void ranks_underStable_keepTheirPartAndShuffleIt(
            @ForAll long seed,
            @ForAll @IntRange(min = 200, max = 1_000) int size,
            @ForAll @IntRange(min = 1, max = 8) int worldSize,
            @ForAll @IntRange(min = 1, max = 3) int times,
            @ForAll @IntRange(min = 1, max = 50) int window) {
        for (Sampler orders : List.of(Sampler.shuffled(seed), Sampler.windowed(seed, window))) {
            Sampler sampler = orders.mode(ShardMode.stable().partitions(times * worldSize))
                    .remainder(Remainder.KEEP)
                    .epochs(EPOCHS);
            for (int rank = 0; rank < worldSize; rank++) {
                Sampler own = sampler.shard(Shard.of(rank, worldSize));
                List<Long> first = indices(own, size, 0);
                List<Long> second = indices(own, size, 1);
                assertThat(new HashSet<>(second)).isEqualTo(new HashSet<>(first));
                assertThat(second).isNotEqualTo(first);
            }
        }
    }

    @Property(tries = 200)
    void ranksOfOneNode_withAPartitionANode_shareItsPart(
            @ForAll long seed, @ForAll @IntRange(min = 100, max = 600) int size) {
        int nodes = 3;
        int local = 2;
        Sampler sampler = Sampler.shuffled(seed)
                .mode(ShardMode.stable().partitions(nodes))
                .remainder(Remainder.KEEP)
                .epochs(2);

        for (int node = 0; node < nodes; node++) {
            List<Set<Long>> epochs = new ArrayList<>();
            for (int epoch = 0; epoch < 2; epoch++) {
                Set<Long> part = new HashSet<>();
                for (int each = 0; each < local; each++) {
                    part.addAll(indices(sampler.shard(Shard.of(each * nodes + node, nodes * local)), size, epoch));
                }
                epochs.add(part);
            }
            assertThat(epochs.get(1)).isEqualTo(epochs.get(0));
        }
        Sampler rank = sampler.shard(Shard.of(0, nodes * local));
        assertThat(new HashSet<>(indices(rank, size, 1))).isNotEqualTo(new HashSet<>(indices(rank, size, 0)));
    }

    @Property(tries = 200)
    void ranks_underReshard_changeTheirPartWhenItIsDue(
            @ForAll long seed, @ForAll @IntRange(min = 2, max = 9) int worldSize) {
        Sampler sampler = Sampler.shuffled(seed)
                .mode(ShardMode.reshardEvery(2))
                .shard(Shard.of(1, worldSize))
                .epochs(4);

        List<Set<Long>> parts = LongStream.range(0, 4)
                .<Set<Long>>mapToObj(epoch -> new HashSet<>(indices(sampler, 900, epoch)))
                .toList();

        assertThat(parts.get(1)).isEqualTo(parts.get(0));
        assertThat(parts.get(3)).isEqualTo(parts.get(2));
        assertThat(parts.get(2)).isNotEqualTo(parts.get(0));
    }

    @Property(tries = 1000)
    void resumeAt_anyDrawUnderAnyMode_drawsTheRestOnce(
            @ForAll("samplers") Sampler orders,
            @ForAll("modes") ShardMode mode,
            @ForAll @IntRange(min = 1, max = 300) int size,
            @ForAll @IntRange(min = 1, max = 17) int before,
            @ForAll @IntRange(min = 1, max = 17) int after,
            @ForAll @IntRange(max = 10_000) int cut) {
        Sampler sampler = orders.mode(mode.over(before)).epochs(2);
        Draws rankZero = sampler.shard(Shard.of(0, before)).draws(size);
        Position next = rankZero.at(cut % rankZero.count()).next();
        List<Long> global = new ArrayList<>(indices(sampler, size, 0));
        global.addAll(indices(sampler, size, 1));

        List<Long> rest = new ArrayList<>();
        for (int rank = 0; rank < after; rank++) {
            Sampler own = sampler.shard(Shard.of(rank, after)).resumeAt(next);
            rest.addAll(indices(own, size, 0));
            rest.addAll(indices(own, size, 1));
        }

        int consumed = (int) Math.min(global.size(), next.epoch() * size + next.offset());
        assertThat(rest.stream().filter(index -> index != Draw.PADDING))
                .containsExactlyInAnyOrderElementsOf(global.subList(consumed, global.size()));
    }

    @Property(tries = 300)
    void resumeAt_underStable_leavesEachRankItsPart(
            @ForAll long seed,
            @ForAll @IntRange(min = 100, max = 400) int size,
            @ForAll @IntRange(min = 1, max = 99) int offset) {
        Sampler sampler = Sampler.shuffled(seed)
                .mode(ShardMode.stable().partitions(12))
                .remainder(Remainder.KEEP)
                .epochs(2);

        for (int worldSize : List.of(1, 2, 3, 4, 6, 12)) {
            for (int rank = 0; rank < worldSize; rank++) {
                Sampler own = sampler.shard(Shard.of(rank, worldSize)).resumeAt(new Position(0, offset));
                assertThat(new HashSet<>(indices(own, size, 1)).containsAll(indices(own, size, 0)))
                        .isTrue();
            }
        }
    }

    @Property(tries = 300)
    void limit_underAnyMode_drawsSoManyAndTheSameOnes(
            @ForAll("samplers") Sampler orders,
            @ForAll @IntRange(max = 400) int size,
            @ForAll @IntRange(max = 500) int limit,
            @ForAll @IntRange(min = 1, max = 9) int worldSize) {
        for (ShardMode mode : List.of(ShardMode.global(), ShardMode.stable(), ShardMode.reshardEvery(1))) {
            Sampler sampler = orders.mode(mode).limit(limit).epochs(EPOCHS).remainder(Remainder.KEEP);
            Set<Long> first = new HashSet<>(interleaved(sampler, worldSize, size, 0));
            Set<Long> second = new HashSet<>(interleaved(sampler, worldSize, size, 1));
            assertThat(first).hasSize(Math.min(size, limit));
            if (!mode.equals(ShardMode.reshardEvery(1))) {
                assertThat(second).isEqualTo(first);
            }
        }
    }

    @Test
    void partitions_ofSamplesInOrder_mixWhatLiesTogether() {
        int classes = 10;
        Sampler sampler = Sampler.shuffled(42).mode(ShardMode.stable()).shard(Shard.of(0, 10));

        List<Long> part = indices(sampler, 10_000, 0);

        assertThat(part.stream().collect(Collectors.groupingBy(index -> index / (10_000 / classes))))
                .hasSize(classes)
                .allSatisfy((label, members) -> assertThat(members).hasSize(100));
    }

    @Test
    void partitions_ofSamplesThatAlternate_areAMix() {
        Sampler sampler = Sampler.shuffled(42).mode(ShardMode.stable()).shard(Shard.of(0, 2));

        List<Long> part = indices(sampler, 10_000, 0);

        assertThat(part.stream().filter(index -> index % 2 == 0)).hasSizeBetween(2_300, 2_700);
    }

    @Test
    void windows_ofAPartition_areReadWhole() {
        Sampler sampler = Sampler.windowed(42, 10, 1)
                .mode(ShardMode.stable())
                .shard(Shard.of(1, 3))
                .remainder(Remainder.KEEP);

        List<Long> part = indices(sampler, 1_000, 0);

        long changes = 0;
        for (int i = 1; i < part.size(); i++) {
            changes += part.get(i) / 10 == part.get(i - 1) / 10 ? 0 : 1;
        }
        assertThat(part).hasSize(333);
        assertThat(changes).isLessThanOrEqualTo(333 / 10 + 12); // and the shorter window takes turns with another one
    }

    @Test
    void draws_goldenOrdersOfModes_holdAcrossVersions() {
        Sampler sampler = Sampler.shuffled(42).epochs(2);

        assertThat(indices(sampler.mode(ShardMode.stable().partitions(2)), 10, 0))
                .containsExactly(GOLDEN_STABLE_0);
        assertThat(indices(sampler.mode(ShardMode.stable().partitions(2)), 10, 1))
                .containsExactly(GOLDEN_STABLE_1);
        assertThat(indices(sampler.mode(ShardMode.reshardEvery(1).partitions(2)), 10, 1))
                .containsExactly(GOLDEN_RESHARD_1);
        assertThat(indices(Sampler.windowed(42, 3).mode(ShardMode.stable().partitions(2)), 10, 0))
                .containsExactly(GOLDEN_WINDOWED);
        assertThat(indices(sampler.limit(4), 10, 0)).containsExactly(GOLDEN_LIMITED);
    }

    // as those of DrawsTest: a change here breaks every saved position
    private static final Long[] GOLDEN_STABLE_0 = {3L, 7L, 5L, 8L, 6L, 2L, 0L, 1L, 9L, 4L};
    private static final Long[] GOLDEN_STABLE_1 = {6L, 2L, 3L, 8L, 5L, 7L, 9L, 4L, 0L, 1L};
    private static final Long[] GOLDEN_RESHARD_1 = {6L, 2L, 3L, 9L, 5L, 7L, 8L, 4L, 1L, 0L};
    private static final Long[] GOLDEN_WINDOWED = {5L, 2L, 1L, 8L, 0L, 7L, 3L, 9L, 4L, 6L};
    private static final Long[] GOLDEN_LIMITED = {8L, 6L, 0L, 9L};

    @ParameterizedTest
    @ValueSource(strings = {"global", "stable", "stable:8", "reshard=5", "reshard=5:8", "stable:x64", "reshard=5:8x64"})
    void parse_whatIsWritten_isReadBack(String text) {
        assertThat(ShardMode.parse(text)).hasToString(text).isEqualTo(ShardMode.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "local",
                "global:2",
                "global:2x3",
                "stable:",
                "stable:x",
                "stable:4x",
                "reshard",
                "reshard=",
                "reshard=x"
            })
    void parse_anythingElse_isRefused(String text) {
        assertThatThrownBy(() -> ShardMode.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("shard mode must be global, stable or reshard=EPOCHS");
    }

    /** Batch k of 4 draws is made by server k mod 3. */
    @ParameterizedTest
    @ValueSource(strings = {"shuffled", "windowed"})
    void turns_ofABatch_giveAServerTheSameSamplesInEveryEpoch(String kind) {
        Sampler sampler = (kind.equals("shuffled") ? Sampler.shuffled(42) : Sampler.windowed(42, 2))
                .mode(ShardMode.parse("stable:3x4"))
                .epochs(4);
        Draws draws = sampler.draws(29); // two turns of each, and five draws that alternate
        for (int server = 0; server < 3; server++) {
            Set<Set<Long>> epochs = new HashSet<>();
            Set<List<Long>> orders = new HashSet<>();
            for (int epoch = 0; epoch < 4; epoch++) {
                List<Long> drawn = new ArrayList<>();
                for (int batch = server; batch < 6; batch += 3) {
                    for (int draw = 0; draw < 4; draw++) {
                        drawn.add(draws.at(29L * epoch + 4L * batch + draw).index());
                    }
                }
                epochs.add(new HashSet<>(drawn));
                orders.add(drawn);
            }
            Set<Long> all = new HashSet<>();
            epochs.forEach(all::addAll);
            assertThat(all).hasSizeBetween(8, 10); // the part of a server
            assertThat(orders).hasSize(4);
        }
        for (int epoch = 0; epoch < 4; epoch++) {
            long first = 29L * epoch;
            assertThat(LongStream.range(first, first + 29)
                            .mapToObj(number -> draws.at(number).index()))
                    .doesNotHaveDuplicates()
                    .hasSize(29);
        }
    }

    @Test
    void numbers_outOfRange_areRefused() {
        assertThatThrownBy(() -> ShardMode.parse("stable:2x0")).hasMessage("turns must be of 1 draw or more, was 0");
        assertThatThrownBy(() -> ShardMode.parse("reshard=0"))
                .hasMessage("reshard must be every 1 epoch or more, was 0");
        assertThatThrownBy(() -> ShardMode.stable().partitions(0)).hasMessage("partitions must be at least 1, was 0");
        assertThatThrownBy(() -> Sampler.sequential().limit(-1)).hasMessage("limit must not be negative: -1");
    }

    @Test
    void keptShare_byModeAndWorldSize_saysWhatARankComesBackTo() {
        assertThat(ShardMode.global().keptShare(4)).isEqualTo(1);
        assertThat(ShardMode.stable().keptShare(4)).isEqualTo(0.25);
        assertThat(ShardMode.stable().partitions(8).keptShare(4)).isEqualTo(0.25);
        assertThat(ShardMode.stable().partitions(2).keptShare(4)).isEqualTo(0.5);
        assertThat(ShardMode.stable().partitions(8).keptShare(3)).isEqualTo(1);
        assertThat(ShardMode.stable().partitions(8).keepsParts(3)).isFalse();
    }

    @Test
    void draws_ofABillionSamplesUnderStable_needNoList() {
        Draws draws = Sampler.shuffled(42)
                .mode(ShardMode.stable())
                .shard(Shard.of(3, 17))
                .epochs(1_000)
                .draws(1_000_000_000);

        assertThat(draws.at(draws.count() - 1).epoch()).isEqualTo(999);
        assertThat(draws.at(0).index()).isNotEqualTo(draws.at(draws.count(0)).index());
    }

    private static List<Long> indices(Sampler sampler, long size, long epoch) {
        Draws draws = sampler.draws(size);
        long from = 0;
        for (long before = 0; before < epoch; before++) {
            from += draws.count(before);
        }
        return LongStream.range(from, from + draws.count(epoch))
                .mapToObj(draws::at)
                .peek(draw -> assertThat(draw.epoch()).isEqualTo(epoch))
                .map(Draw::index)
                .toList();
    }

    private static List<Long> interleaved(Sampler sampler, int worldSize, long size, long epoch) {
        List<List<Long>> ranks = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            ranks.add(indices(sampler.shard(Shard.of(rank, worldSize)), size, epoch));
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
}
