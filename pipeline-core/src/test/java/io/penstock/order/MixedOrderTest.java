package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mixtures obey the laws of other orders, and each source those of a data set of its own. */
class MixedOrderTest {

    private static final Proportions TWO = Proportions.of(10, 0.7).and(4, 0.3);

    /** A mixture made by chance. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Made(Proportions proportions, long[] sizes) {
        static Made of(int seed) {
            Random random = new Random(seed);
            int sources = 1 + random.nextInt(5);
            long[] sizes = random.longs(sources, 1, 60).toArray();
            return new Made(ended(seed, weighted(random, sizes)), sizes);
        }

        /** The same sources by other weights. */
        Proportions reweighted(int seed, Random random) {
            return ended(seed, weighted(random, sizes));
        }

        private static Proportions ended(int seed, Proportions proportions) {
            return switch (seed % 3) {
                case 0 -> proportions.draws(seed % 300);
                case 1 -> proportions.until(Exhausted.ALL);
                default -> proportions;
            };
        }

        /** These sources by weights made by chance. */
        static Proportions weighted(Random random, long... sizes) {
            Proportions proportions = Proportions.of(sizes[0], 1 + random.nextInt(20));
            for (int source = 1; source < sizes.length; source++) {
                proportions = proportions.and(sizes[source], 1 + random.nextInt(20));
            }
            return proportions;
        }

        long size() {
            return LongStream.of(sizes).sum();
        }

        /** The samples that each source gave, by their numbers within it. */
        List<List<Long>> bySource(List<Draw> draws) {
            List<List<Long>> sources = new ArrayList<>();
            for (int source = 0; source < sizes.length; source++) {
                sources.add(new ArrayList<>());
            }
            for (Draw draw : draws) {
                long within = draw.index();
                int source = 0;
                while (within >= sizes[source]) {
                    within -= sizes[source++];
                }
                sources.get(source).add(within);
            }
            return sources;
        }
    }

    private static Sampler inner(int kind, long seed) {
        return switch (kind % 3) {
            case 0 -> Sampler.shuffled(seed);
            case 1 -> Sampler.windowed(seed, 5, 2);
            default -> Sampler.sequential();
        };
    }

    private static List<Draw> all(Sampler sampler, long size) {
        Draws draws = sampler.draws(size);
        return LongStream.range(0, draws.count()).mapToObj(draws::at).toList();
    }

    private static List<Draw> interleaved(Sampler sampler, int worldSize, long size) {
        List<List<Draw>> ranks = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            ranks.add(all(sampler.shard(Shard.of(rank, worldSize)), size));
        }
        List<Draw> merged = new ArrayList<>();
        for (int step = 0; step < ranks.get(0).size(); step++) {
            for (List<Draw> rank : ranks) {
                if (step < rank.size() && !rank.get(step).isPadding()) {
                    merged.add(rank.get(step));
                }
            }
        }
        return merged;
    }

    private record Use(long epoch, long index, long turn) {
        static List<Use> of(List<Draw> draws) {
            return draws.stream()
                    .map(draw -> new Use(draw.epoch(), draw.index(), draw.turn()))
                    .toList();
        }
    }

    @Property(tries = 300)
    void sources_overAllEpochs_passThroughTheirSamplesAgainAndAgain(
            @ForAll @IntRange(max = 1 << 20) int made, @ForAll long seed) {
        Made mixture = Made.of(made);
        Sampler sampler = inner(made / 3, seed).mixed(mixture.proportions).epochs(3);

        List<Draw> draws = all(sampler, mixture.size());

        List<List<Long>> sources = mixture.bySource(draws);
        for (int source = 0; source < sources.size(); source++) {
            List<Long> drawn = sources.get(source);
            int size = (int) mixture.sizes[source];
            for (int from = 0; from < drawn.size(); from += size) {
                List<Long> pass = drawn.subList(from, Math.min(from + size, drawn.size()));
                assertThat(new HashSet<>(pass)).hasSameSizeAs(pass);
            }
        }
        assertThat(new HashSet<>(Use.of(draws))).hasSameSizeAs(draws);
    }

    @Property(tries = 300)
    void ranks_ofAnyWorldSize_interleaveToTheGlobalOrder(
            @ForAll @IntRange(max = 1 << 20) int made,
            @ForAll @IntRange(min = 1, max = 17) int worldSize,
            @ForAll long seed) {
        Made mixture = Made.of(made);
        Sampler sampler = inner(made / 3, seed).mixed(mixture.proportions).epochs(2);
        List<Use> global = Use.of(all(sampler, mixture.size()));

        for (Remainder remainder : List.of(Remainder.PAD, Remainder.KEEP)) {
            // under KEEP ranks may begin the next epoch at different steps
            Sampler ranks = sampler.remainder(remainder).epochs(1);
            List<Use> drawn = Use.of(interleaved(ranks, worldSize, mixture.size()));
            assertThat(drawn).isEqualTo(global.subList(0, global.size() / 2));
        }
        List<Use> padded = Use.of(interleaved(sampler, worldSize, mixture.size()));
        assertThat(padded).isEqualTo(global);
    }

    @Property(tries = 300)
    void resumeAt_anyDraw_repeatsAndSkipsNothing(
            @ForAll @IntRange(max = 1 << 20) int made,
            @ForAll @IntRange(min = 1, max = 9) int before,
            @ForAll @IntRange(min = 1, max = 9) int after,
            @ForAll @IntRange(max = 1_000) int cut) {
        Made mixture = Made.of(made);
        Sampler sampler = inner(made / 3, 42).mixed(mixture.proportions).epochs(3);
        List<Use> global = Use.of(all(sampler, mixture.size()));
        List<Draw> rankZero = all(sampler.shard(Shard.of(0, before)), mixture.size());
        if (rankZero.isEmpty()) {
            return;
        }
        Position next = rankZero.get(cut % rankZero.size()).next();

        List<Use> rest = Use.of(interleaved(sampler.resumeAt(next), after, mixture.size()));

        long anEpoch = sampler.samples(mixture.size());
        int consumed = (int) Math.min(global.size(), next.epoch() * anEpoch + next.offset());
        assertThat(rest).isEqualTo(global.subList(consumed, global.size()));
    }

    @Property(tries = 300)
    void weights_changedTwice_letEachSourceGoOnWhereItIs(@ForAll @IntRange(max = 1 << 20) int made, @ForAll long seed) {
        Made mixture = Made.of(made);
        Random random = new Random(made);
        Sampler plain = inner(made / 3, seed).epochs(4);
        Sampler sampler = plain.mixed(mixture.proportions);
        long anEpoch = sampler.samples(mixture.size());
        List<List<Long>> longer = mixture.bySource(all(sampler.epochs(60), mixture.size()));
        List<Draw> drawn = new ArrayList<>();

        for (int change = 0; change < 3; change++) {
            Position next = sampler.start();
            Draws draws = sampler.draws(mixture.size());
            long count = change == 2 ? draws.count() : random.nextLong(draws.count() + 1);
            for (long number = 0; number < count; number++) {
                drawn.add(draws.at(number));
                next = draws.at(number).next();
            }
            sampler = plain.mixed(change == 1 ? mixture.proportions : mixture.reweighted(made, random))
                    .resumeMixture(sampler.mixture().orElseThrow(), anEpoch, next);
        }

        assertThat(drawn).hasSize((int) (4 * anEpoch));
        List<List<Long>> sources = mixture.bySource(drawn);
        for (int source = 0; source < sources.size(); source++) {
            List<Long> its = sources.get(source);
            List<Long> reference = longer.get(source);
            int both = Math.min(its.size(), reference.size());
            assertThat(its.subList(0, both)).isEqualTo(reference.subList(0, both));
        }
        assertThat(new HashSet<>(Use.of(drawn))).hasSameSizeAs(drawn);
    }

    @Property(tries = 200)
    void firstEpoch_endsWhereASourceIsExhausted(@ForAll @IntRange(max = 1 << 20) int made) {
        long[] sizes = Made.of(made).sizes;
        Made mixture = new Made(Made.weighted(new Random(made), sizes), sizes);
        Proportions proportions = mixture.proportions;

        long first = Sampler.shuffled(1).mixed(proportions).samples(mixture.size());
        long last = Sampler.shuffled(1).mixed(proportions.until(Exhausted.ALL)).samples(mixture.size());

        Sampler longer = Sampler.shuffled(1).mixed(proportions.draws(last + 1));
        List<Draw> draws = all(longer, mixture.size());
        assertThat(isAnyBeyond(mixture, draws.subList(0, (int) first))).isFalse();
        assertThat(isAnyBeyond(mixture, draws.subList(0, (int) Math.min(first + 1, last + 1))))
                .isTrue();
        assertThat(isEachComplete(mixture, draws.subList(0, (int) last))).isTrue();
        assertThat(isEachComplete(mixture, draws.subList(0, (int) last - 1))).isFalse();
    }

    private static boolean isAnyBeyond(Made mixture, List<Draw> draws) {
        List<List<Long>> sources = mixture.bySource(draws);
        for (int source = 0; source < sources.size(); source++) {
            if (sources.get(source).size() > mixture.sizes[source]) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEachComplete(Made mixture, List<Draw> draws) {
        List<List<Long>> sources = mixture.bySource(draws);
        for (int source = 0; source < sources.size(); source++) {
            if (new HashSet<>(sources.get(source)).size() < mixture.sizes[source]) {
                return false;
            }
        }
        return true;
    }

    @Test
    void random_ofASampleDrawnAgainInAnEpoch_isAnother() {
        Sampler sampler =
                Sampler.sequential().mixed(Proportions.of(1, 1).and(100, 1).until(Exhausted.ALL));
        Set<Long> dice = new HashSet<>();

        List<Draw> ofTheFirst =
                all(sampler, 101).stream().filter(draw -> draw.index() == 0).toList();
        ofTheFirst.forEach(draw -> dice.add(draw.random("crop").nextLong()));

        assertThat(ofTheFirst).hasSize(100);
        assertThat(dice).hasSize(100);
    }

    @Test
    void draws_goldenOrders_holdAcrossVersions() {
        Sampler sampler = Sampler.shuffled(42).mixed(TWO.until(Exhausted.ALL)).epochs(2);

        assertThat(all(sampler, 14).stream().map(Draw::index)).containsExactly(GOLDEN);
    }

    // users rely on this order to continue a run with a newer version: a change here breaks every saved position
    private static final Long[] GOLDEN = {
        6L, 12L, 2L, 9L, 7L, 11L, 8L, 3L, 13L, 4L, 5L, 10L, 1L, 0L,
        6L, 11L, 2L, 4L, 10L, 3L, 8L, 13L, 5L, 1L, 9L, 12L, 0L, 7L
    };

    @Test
    void words_ofAMixedSampler_sayWhatIsMixed() {
        Sampler sampler = Sampler.windowed(42, 100).mixed(TWO.draws(20));

        assertThat(sampler.order())
                .isEqualTo("mixture of 2 sources, each windowed 100 interleaved 64, until a number of draws");
        assertThat(sampler.mixture()).contains("7:3");
        assertThat(Sampler.shuffled(1).mixture()).isEmpty();
    }

    @Test
    void mixture_usedWrongly_isRefused() {
        Sampler mixed = Sampler.shuffled(1).mixed(TWO);

        assertThatThrownBy(() -> Proportions.of(0, 1)).hasMessage("source 0 of a mixture must have samples, has 0");
        assertThatThrownBy(() -> mixed.draws(15))
                .hasMessage("this order mixes sources of 14 samples together, the dataset has 15; "
                        + "draw from the concatenation");
        assertThatThrownBy(() -> mixed.mixed(TWO))
                .hasMessageStartingWith("sources can be sequential, shuffled or windowed, was a mixture of 2 sources");
        assertThatThrownBy(() -> mixed.mode(ShardMode.stable()))
                .hasMessageStartingWith("shard mode must be global, was stable: a mixture of 2 sources");
        assertThatThrownBy(() -> Sampler.shuffled(1).mode(ShardMode.stable()).mixed(TWO))
                .hasMessageStartingWith("shard mode must be global, was stable");
        assertThatThrownBy(() -> mixed.limit(7)).hasMessageStartingWith("a limit of 7 samples is not for a mixture");
        assertThatThrownBy(() -> mixed.resumeAt(new Position(Long.MAX_VALUE, 0))
                        .epochs(Long.MAX_VALUE)
                        .draws(14))
                .hasMessageContaining("is out of reach of a mixture with");
        assertThatThrownBy(() -> TWO.draws(-1)).hasMessageStartingWith("draws of an epoch must be in [0, ");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void weight_thatIsNone_isNamed(double weight) {
        assertThatThrownBy(() -> Proportions.of(10, 1).and(10, weight))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("weight of source 1 must be finite and more than 0, was " + weight);
    }

    @Test
    void sources_upTo255_areMixed() {
        Proportions many = Proportions.of(2, 1);
        for (int source = 1; source < 255; source++) {
            many = many.and(2, 1);
        }
        Proportions full = many;

        assertThat(new HashSet<>(all(Sampler.shuffled(1).mixed(full).epochs(2), 510).stream()
                        .map(Draw::index)
                        .toList()))
                .hasSize(510);
        assertThatThrownBy(() -> full.and(1, 1))
                .hasMessage("a mixture has 255 sources at most; concatenate some of them");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "garbage | weights such as 7:3 were expected",
                "7:0 | a weight is 0",
                "7:99999999 | a weight is 99999999",
                "16777216:1 | the sum of the weights is 16777217",
                "7:9999999999999999999 | 9999999999999999999 is out of range",
                "7:3 since epoch 0 offset 5 counts 3:1 | the counts are not those of a run with 14 draws an epoch",
                "7:3 since epoch 0 offset 15 counts 11:4 | the counts are not those of a run with 14 draws an epoch",
                "7:3 since epoch 0 offset 5 counts 3:1:1 | 3 counts of 2 sources",
                "7:3 since epoch 1 offset 12 counts 21:5 | the run is at epoch 1 offset 2",
            })
    void state_thatContradictsItself_isRefused(String state, String why) {
        Sampler mixed = Sampler.shuffled(1).mixed(TWO);

        assertThat(mixed.samples(14)).isEqualTo(14);
        assertThatThrownBy(() -> mixed.resumeMixture(state, 14, new Position(1, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the mixture of the resume token is damaged: \"%s\": %s".formatted(state, why));
    }

    @Test
    void state_ofOtherSources_isRefused() {
        assertThatThrownBy(() -> Sampler.shuffled(1).mixed(TWO).resumeMixture("1:1:1", 14, Position.START))
                .hasMessage("another mixture: of 3 sources there, of 2 here");
        assertThatThrownBy(() -> Sampler.shuffled(1).resumeMixture("1", 14, Position.START))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void weights_ofAListThatChangeBehindThePosition_goOn() {
        Sampler steps = Sampler.shuffled(1).epochs(9);
        Sampler first = steps.mixed(TWO.weightsAt(20, 1, 1).weightsAt(40, 1, 4));
        Sampler grown = steps.mixed(TWO.weightsAt(20, 1, 1).weightsAt(50, 0, 1));
        Position at = new Position(2, 5);

        assertThat(first.mixture()).contains("0=7:3 20=1:1 40=1:4");
        assertThat(first.samples(14)).isEqualTo(14);
        Sampler changed = grown.resumeMixture(first.mixture().get(), 14, at);
        assertThat(changed.mixture())
                .hasValueSatisfying(
                        state -> assertThat(state).startsWith("0=7:3 20=1:1 50=0:1 since epoch 2 offset 5 counts "));
        Sampler again = grown.resumeMixture(changed.mixture().get(), 14, new Position(3, 0));
        assertThat(again.mixture()).isEqualTo(changed.mixture());
        assertThat(all(again, 14))
                .isEqualTo(all(changed, 14).subList(9, all(changed, 14).size()));
        assertThat(all(changed, 14).subList(50 - 33, 60).stream().allMatch(draw -> draw.index() >= 10))
                .isTrue();
    }

    @Test
    void weights_ofAListThatChangeBeforeThePosition_areRefused() {
        Sampler lines = Sampler.shuffled(1).mixed(TWO.weightsAt(20, 1, 1).lines());
        Position at = new Position(1, 2);

        for (Proportions other : List.of(
                TWO.weightsAt(0, 1, 1).weightsAt(20, 1, 1).lines(),
                TWO.weightsAt(20, 1, 1),
                TWO.weightsAt(30, 1, 1).lines(),
                TWO.weightsAt(20, 2, 1).lines())) {
            assertThatThrownBy(() -> Sampler.shuffled(1).mixed(other).resumeMixture("0=7:3 20=1:1 line", 14, at))
                    .hasMessageStartingWith("the weights of draws that were made cannot change: the run is at draw ")
                    .hasMessageEndingWith("keep the weights up to there, and the end of a line that has begun");
        }
        Sampler farther = Sampler.shuffled(1)
                .mixed(TWO.weightsAt(20, 1, 1).weightsAt(30, 9, 1).lines());
        assertThat(farther.resumeMixture(lines.mixture().get(), lines.samples(14), at)
                        .mixture())
                .hasValueSatisfying(state -> assertThat(state).startsWith("0=7:3 20=1:1 30=9:1 line since"));
    }

    @Test
    void weights_thatStayed_mayBecomeAListThatBeginsWithThem() {
        Proportions list = Proportions.of(10, 0.7).and(4, 0.3).weightsAt(30, 1, 1);

        Sampler changed = Sampler.shuffled(1).mixed(list).resumeMixture("7:3", 14, new Position(1, 2));

        assertThat(changed.mixture()).contains("0=7:3 30=1:1 since epoch 1 offset 2 counts 11:5");
        assertThatThrownBy(() -> Sampler.shuffled(1).mixed(list).resumeMixture("1:1", 8, new Position(1, 2)))
                .hasMessageStartingWith("the weights of draws that were made cannot change");
    }

    @Test
    void weightsAt_thatAreNone_areNamed() {
        assertThatThrownBy(() -> TWO.weightsAt(5, 1))
                .hasMessage("weights at draw 5 must be of each of two or more sources: 1 for 2");
        assertThatThrownBy(() -> TWO.weightsAt(5, 0, 0))
                .hasMessage("weights at draw 5 must be 0 or more, with a finite sum above 0, were [0.0, 0.0]");
        assertThatThrownBy(() -> TWO.weightsAt(-1, 1, 1))
                .hasMessage("weights must be from draw 0 or a later one on, was -1");
        assertThatThrownBy(() -> TWO.weightsAt(5, 1, 1).and(3, 1))
                .hasMessage("say all sources of a mixture before the draws at which weights change");
        assertThatThrownBy(
                        () -> Sampler.shuffled(1).mixed(TWO.weightsAt(3, 0, 1).until(Exhausted.ALL)))
                .hasMessage("source 0 is never exhausted by these weights; give an epoch a number of draws");
    }

    @Test
    void draws_beforeTheWeightsChanged_areRefused() {
        Sampler changed = Sampler.shuffled(1)
                .mixed(Proportions.of(10, 0.5).and(4, 0.5))
                .epochs(3)
                .resumeMixture("7:3", 14, new Position(1, 2));

        assertThat(changed.mixture()).contains("1:1 since epoch 1 offset 2 counts 11:5");
        assertThatThrownBy(() -> changed.resumeAt(Position.START).draws(14).at(0))
                .hasMessageContaining("the weights of this mixture hold from")
                .hasMessageContaining("draw from there");
    }
}
