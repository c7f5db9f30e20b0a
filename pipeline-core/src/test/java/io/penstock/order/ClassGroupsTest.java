package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Batches of P classes by K samples, pairs and triplets have the members that they promise, evenly. */
class ClassGroupsTest {

    private static final int SEED = 42;

    private static int[] labels(Random random, int samples, int classes) {
        return random.ints(samples, 0, classes).map(label -> 7 * label - 3).toArray();
    }

    private static Draw[] members(DrawnGroups groups, long epoch, long number) {
        return groups.members(new Draw(SEED, epoch, number, Position.START));
    }

    private static int[] samples(Draw... members) {
        return Arrays.stream(members).mapToInt(draw -> (int) draw.index()).toArray();
    }

    @Test
    void batches_tenThousand_haveDifferentClassesAndSamples() {
        Random random = new Random(1);
        int batches = 0;
        while (batches < 10_000) {
            int classes = 1 + random.nextInt(9);
            int each = 1 + random.nextInt(6);
            int[] labels = labels(random, 300 + random.nextInt(500), classes + random.nextInt(20));
            DrawnGroups groups = ClassGroups.of(labels).batches(classes, each);
            for (long number = 0; number < groups.size(); number++, batches++) {
                int[] samples = samples(members(groups, random.nextInt(50), number));
                assertThat(samples).hasSize(classes * each).doesNotHaveDuplicates();
                Map<Integer, Integer> counts = new HashMap<>();
                Arrays.stream(samples).forEach(sample -> counts.merge(labels[sample], 1, Integer::sum));
                assertThat(counts).hasSize(classes);
                assertThat(counts.values()).containsOnly(each);
            }
        }
    }

    @Test
    void batches_ofAnyEpochs_drawEachSampleOncePerPass() {
        int[] labels = IntStream.concat(
                        IntStream.concat(
                                IntStream.generate(() -> 0).limit(50),
                                IntStream.generate(() -> 1).limit(8)),
                        IntStream.concat(
                                IntStream.generate(() -> 2).limit(9),
                                IntStream.generate(() -> 3).limit(3)))
                .toArray();
        DrawnGroups groups = ClassGroups.of(labels).batches(3, 4); // all but the last class in each round
        int[] counts = new int[labels.length];
        Set<List<Long>> uses = new HashSet<>();

        assertThat(groups.size()).isEqualTo(6); // 67 samples by 12 a batch
        for (long epoch = 0; epoch < 12; epoch++) {
            for (long number = 0; number < groups.size(); number++) {
                for (Draw draw : members(groups, epoch, number)) {
                    counts[(int) draw.index()]++;
                    assertThat(uses.add(List.of(draw.epoch(), draw.index(), draw.turn())))
                            .isTrue();
                }
            }
        }

        // 72 rounds: 6 passes of 12 rounds over 48 of 50 samples, 36 of 2 rounds over 8, and over 8 of 9
        assertThat(Arrays.stream(counts, 0, 50).sum()).isEqualTo(6 * 48);
        assertThat(Arrays.stream(counts, 0, 50).max()).hasValue(6);
        assertThat(Arrays.copyOfRange(counts, 50, 58)).containsOnly(36);
        assertThat(Arrays.stream(counts, 58, 67).sum()).isEqualTo(36 * 8);
        assertThat(Arrays.stream(counts, 58, 67).max().getAsInt()).isLessThanOrEqualTo(36);
        assertThat(Arrays.copyOfRange(counts, 67, 70)).containsOnly(0);
    }

    @Test
    void classes_ofABatch_areAnyEquallyOften() {
        int[] labels = IntStream.range(0, 120).map(sample -> sample % 12).toArray();
        DrawnGroups groups = ClassGroups.of(labels).batches(2, 2);
        double[] together = new double[66];

        long all = 0;
        for (long epoch = 0; epoch < 600; epoch++) {
            for (long number = 0; number < groups.size(); number++, all++) {
                int[] samples = samples(members(groups, epoch, number));
                int a = Math.min(labels[samples[0]], labels[samples[2]]);
                int b = Math.max(labels[samples[0]], labels[samples[2]]);
                together[b * (b - 1) / 2 + a]++;
            }
        }

        assertThat(chiSquare(together, all)).isLessThan(114); // 65 degrees of freedom, p = 0.0002
    }

    private static double chiSquare(double[] counts, long all) {
        double wanted = (double) all / counts.length;
        return Arrays.stream(counts)
                .map(count -> (count - wanted) * (count - wanted) / wanted)
                .sum();
    }

    @Test
    void partners_ofTriplets_areAnyOfTheirClassesEquallyOften() {
        int[] labels = IntStream.range(0, 60)
                .map(sample -> sample < 21 ? 0 : sample < 40 ? 1 : sample < 59 ? 2 : 9)
                .toArray();
        DrawnGroups groups = ClassGroups.of(labels).triplets();
        double[] positives = new double[20];
        double[] negatives = new double[38];
        int epochs = 20_000;

        assertThat(groups.size()).isEqualTo(59);
        for (long epoch = 0; epoch < epochs; epoch++) {
            int[] samples = samples(members(groups, epoch, 5));
            assertThat(samples[0]).isEqualTo(5);
            assertThat(samples[1]).isNotEqualTo(5).isLessThan(21);
            positives[samples[1] < 5 ? samples[1] : samples[1] - 1]++;
            negatives[samples[2] - 21]++;
        }

        assertThat(chiSquare(positives, epochs)).isLessThan(49); // 19 degrees of freedom, p = 0.0002
        assertThat(chiSquare(negatives, epochs)).isLessThan(76); // 37 degrees of freedom
    }

    @Test
    void triplets_ofAnyLabels_areOfTwoClassesAndNeverUseASampleAlike() {
        Random random = new Random(2);
        for (int tried = 0; tried < 100; tried++) {
            int[] labels = labels(random, 50 + random.nextInt(50), 2 + random.nextInt(9));
            DrawnGroups groups = ClassGroups.of(labels).triplets();
            DrawnGroups pairs = ClassGroups.of(labels).pairs();
            Set<List<Long>> uses = new HashSet<>();
            Set<Integer> anchors = new HashSet<>();
            for (long number = 0; number < groups.size(); number++) {
                Draw[] members = members(groups, 3, number);
                int[] samples = samples(members);
                assertThat(labels[samples[1]]).isEqualTo(labels[samples[0]]);
                assertThat(samples[1]).isNotEqualTo(samples[0]);
                assertThat(labels[samples[2]]).isNotEqualTo(labels[samples[0]]);
                assertThat(samples(members(pairs, 3, number))).containsExactly(samples[0], samples[1]);
                anchors.add(samples[0]);
                for (Draw draw : members) {
                    assertThat(uses.add(List.of(draw.index(), draw.turn()))).isTrue();
                }
            }
            assertThat(anchors).hasSize((int) groups.size());
        }
    }

    @Test
    void hardNegatives_ofAList_areDrawnFromIt() {
        int[] labels = {0, 0, 1, 1, 2, 2};
        DrawnGroups groups = ClassGroups.of(labels).triplets(new int[][] {{4}, {}, {0, 5}});

        assertThat(samples(members(groups, 0, 0))[2]).isEqualTo(4);
        Set<Integer> drawn = new HashSet<>();
        for (long epoch = 0; epoch < 50; epoch++) {
            drawn.add(samples(members(groups, epoch, 2))[2]);
        }
        assertThat(drawn).containsExactlyInAnyOrder(0, 5);
        assertThat(groups.words()).hasSize(2).last().asString().startsWith("replaceable negatives ");
        assertThat(groups.words().get(0))
                .isEqualTo(ClassGroups.of(labels).triplets().words().get(0));
    }

    @Test
    void ranks_ofAnyWorldSize_shareTheSameBatches() {
        int[] labels = labels(new Random(3), 400, 13);
        DrawnGroups groups = ClassGroups.of(labels).batches(4, 3);
        Sampler order = Sampler.shuffled(SEED).epochs(3);
        List<List<Integer>> alone = batches(groups, order, 1);

        for (int world = 2; world <= 7; world++) {
            assertThat(batches(groups, order, world)).isEqualTo(alone);
        }
    }

    private static List<List<Integer>> batches(DrawnGroups groups, Sampler order, int world) {
        List<Draws> ranks = IntStream.range(0, world)
                .mapToObj(rank -> order.shard(Shard.of(rank, world)).draws(groups.size()))
                .toList();
        List<List<Integer>> batches = new ArrayList<>();
        LongStream.range(0, ranks.get(0).count())
                .forEach(step -> ranks.forEach(rank -> {
                    Draw draw = rank.at(step);
                    if (!draw.isPadding()) {
                        batches.add(Arrays.stream(samples(groups.members(draw)))
                                .boxed()
                                .toList());
                    }
                }));
        return batches;
    }

    @Test
    void groups_thatCannotBe_areRefused() {
        ClassGroups groups = ClassGroups.of(1, 1, 2, 2, 2, 3);

        assertThatThrownBy(() -> groups.batches(0, 1))
                .hasMessage("a batch must have 1 class and 1 sample of it or more, was 0 of 1");
        assertThatThrownBy(() -> groups.batches(2, 3))
                .hasMessage("2 classes of 3 samples or more are needed, 1 of 3 classes have them");
        assertThatThrownBy(() -> ClassGroups.of(1, 2).pairs())
                .hasMessage("1 classes of 2 samples or more are needed, 0 of 2 classes have them");
        assertThatThrownBy(() -> groups.triplets(new int[][] {{1}}))
                .hasMessage("negatives of sample 0 must be samples in [0, 6) of other classes than 1, was 1");
        assertThatThrownBy(() -> groups.triplets(new int[7][0]))
                .hasMessage("7 lists of negatives were given for 6 samples");
    }
}
