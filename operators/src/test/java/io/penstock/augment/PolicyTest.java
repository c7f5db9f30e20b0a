package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {

    private static final Image SIZE = new Image(40, 60, 3);
    private static final int DRAWS = 20_000;

    private static Map<String, Integer> counts(Policy policy, Function<List<Step>, String> by) {
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < DRAWS; i++) {
            counts.merge(by.apply(policy.draw(SIZE, TestImages.dice(i))), 1, Integer::sum);
        }
        return counts;
    }

    /** The statistic of counts that are to be equal, less what it is by chance, in its own deviations. */
    private static double excess(Map<String, Integer> counts, int kinds) {
        double expected = counts.values().stream().mapToInt(i -> i).sum() / (double) kinds;
        double chi = counts.values().stream()
                        .mapToDouble(count -> (count - expected) * (count - expected) / expected)
                        .sum()
                + (kinds - counts.size()) * expected;
        return (chi - (kinds - 1)) / Math.sqrt(2.0 * (kinds - 1));
    }

    private static String operation(List<Step> steps) {
        return steps.get(0).operation().word();
    }

    @Test
    void randAugment_ofManyDraws_takesEachOperationAndSignAsOften() {
        Policy policy = Policy.randAugment(2, 9);

        Map<String, Integer> pairs = counts(
                policy, steps -> steps.get(0).operation() + " " + steps.get(1).operation());
        Map<String, Integer> signs = counts(
                policy,
                steps -> steps.get(0).operation() == Operation.ROTATE
                        ? steps.get(0).toString()
                        : "");
        signs.remove("");

        assertThat(excess(pairs, 14 * 14)).isLessThan(4);
        assertThat(signs).containsOnlyKeys("rotate 9", "rotate -9");
        assertThat(excess(signs, 2)).isLessThan(8);
    }

    @Test
    void trivialAugment_ofManyDraws_takesEachMagnitudeAsOften() {
        Policy policy = Policy.trivialAugment();

        Map<String, Integer> operations = counts(policy, PolicyTest::operation);
        Map<String, Integer> solarised = counts(
                policy,
                steps -> operation(steps).equals("solarise") ? steps.get(0).toString() : "");
        solarised.remove("");
        Map<String, Integer> posterised = counts(
                policy,
                steps -> operation(steps).equals("posterise") ? steps.get(0).toString() : "");

        assertThat(excess(operations, 14)).isLessThan(4);
        assertThat(excess(solarised, 31)).isLessThan(4);
        assertThat(posterised).containsKeys("posterise 2", "posterise 8").hasSize(8);
    }

    @Test
    void autoAugment_ofManyDraws_takesEachPairByItsProbabilities() {
        for (AutoAugmentTable table : AutoAugmentTable.values()) {
            Map<String, Integer> steps = new HashMap<>();
            Policy policy = Policy.autoAugment(table);
            for (int i = 0; i < DRAWS; i++) {
                policy.draw(SIZE, TestImages.dice(i))
                        .forEach(step -> steps.merge(step.operation().word(), 1, Integer::sum));
            }

            Map<String, Double> expected = new HashMap<>();
            assertThat(table.pairs.lines()).hasSize(25).allSatisfy(line -> {
                String[] words = line.split(" ", -1);
                expected.merge(words[0], Double.parseDouble(words[1]) * DRAWS / 25, Double::sum);
                expected.merge(words[3], Double.parseDouble(words[4]) * DRAWS / 25, Double::sum);
            });
            expected.forEach(
                    (word, count) -> assertThat(steps.getOrDefault(word, 0).doubleValue())
                            .as(table + " " + word)
                            .isBetween(count - 6 * Math.sqrt(count) - 1, count + 6 * Math.sqrt(count) + 1));
        }
    }

    @Test
    void magnitudes_ofPublishedPolicies_areThePublishedOnes() {
        Map<String, Integer> steps = new HashMap<>();
        for (int i = 0; i < 2000; i++) {
            Policy.randAugment(1, 9)
                    .draw(SIZE, TestImages.dice(i))
                    .forEach(step -> steps.merge(step.toString(), 1, Integer::sum));
        }

        // linspace(0, 0.3, 31)[9], 150 / 331 of the size, 8 - round(9 / 7.5), 255 - 255 * 9 / 30
        assertThat(steps.keySet())
                .contains("shear-x 0.09", "shear-y -0.09", "translate-x 8", "translate-x -8", "translate-y 5")
                .contains(
                        "rotate 9", "brightness 0.27", "sharpness -0.27", "posterise 7", "solarise 178.5", "identity");
        assertThat(steps).hasSize(4 + 2 * 9 + 1);
    }

    @Test
    void anyOrder_ofThree_comesInSixOrdersAsOften() {
        Policy policy =
                Policy.anyOrder(Change.of(Operation.GREY), Change.of(Operation.INVERT), Change.of(Operation.EQUALISE));

        Map<String, Integer> orders = counts(policy, List::toString);

        assertThat(excess(orders, 6)).isLessThan(4);
    }

    @Test
    void choose_takesOneOfSeveralByItsProbability() {
        Policy policy = Policy.choose(1, Change.of(Operation.GREY).probability(0.5), Change.of(Operation.BLUR, 0.1, 2));

        Map<String, Integer> kinds = counts(policy, steps -> steps.isEmpty() ? "none" : operation(steps));

        assertThat(kinds.get("blur")).isBetween(DRAWS / 2 - 400, DRAWS / 2 + 400);
        assertThat(kinds.get("grey")).isBetween(DRAWS / 4 - 400, DRAWS / 4 + 400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "randaugment=2:9",
                "trivialaugment",
                "autoaugment=cifar10",
                "crop=20,flip=0.5,rotate=30,shear-x=0.1..0.3:p=0.5,blur=0.1..2,vertical-flip=0.5,erase=0.5",
                "choose=2(rotate=30|grey=0.5|blur=1:p=0.3),any-order(posterise=4|solarise=128|invert=0.5)",
                "perspective=0.5:p=0.5,translate-x=32:bins=31,grey=1,equalise=0.5,sharpness=0.9,autocontrast=0.5"
            })
    void text_ofAPolicy_isItsNameAndAlwaysDrawsAsMuch(String text) {
        Augment augment = AugmentSpec.parse(text);
        Tensor image = TestImages.noise(DType.U8, 40, 60, 3, 1);

        long[] counts = IntStream.range(0, 50)
                .map(i -> {
                    TestImages.Counting random = new TestImages.Counting(i);
                    augment.draw(image.shape(), random);
                    return random.count();
                })
                .distinct()
                .asLongStream()
                .toArray();

        assertThat(augment.name()).isEqualTo(text);
        assertThat(AugmentSpec.parse(augment.name()).name()).isEqualTo(text);
        assertThat(counts).hasSize(1);
        assertThat(augment.apply(image, TestImages.dice(1))).isEqualTo(augment.apply(image, TestImages.dice(1)));
    }

    @Test
    void results_ofFixedDraws_stay() {
        Tensor image = TestImages.noise(DType.U8, 40, 60, 3, 1);
        Augment all =
                AugmentSpec.parse("resized-crop=32,flip,choose=3(rotate=30|shear-x=0.3|translate-y=0.2|perspective=0.5"
                        + "|vertical-flip|blur=0.1..2|sharpness=0.9|equalise|autocontrast|posterise=4|solarise=128|grey)"
                        + ",erase=0.5");

        int[] hashes = IntStream.range(0, 12)
                .map(i -> Arrays.hashCode(all.apply(image, TestImages.dice(i)).toByteArray()))
                .toArray();

        assertThat(hashes)
                .containsExactly(
                        -1108417167,
                        405987881,
                        -779794991,
                        -388524516,
                        4207132,
                        940389036,
                        -1183636541,
                        1146154401,
                        220281381,
                        -1739883361,
                        1790438423,
                        -2063095154);
    }

    @Test
    void draws_withoutPolicies_areWhatTheyWere() {
        Augment plain = AugmentSpec.parse("resized-crop=32,flip,jitter=0.4,erase=0.5");
        Tensor image = TestImages.noise(DType.U8, 40, 60, 3, 1);

        int[] hashes = IntStream.range(0, 4)
                .map(i -> Arrays.hashCode(plain.apply(image, TestImages.dice(i)).toByteArray()))
                .toArray();

        assertThat(hashes).containsExactly(715571857, -1461226736, -852161891, -1272543834);
    }

    @Test
    void policies_thatAreNone_areRefused() {
        assertThatThrownBy(() -> AugmentSpec.parse("rotate=200"))
                .hasMessage("augmentation \"rotate=200\": rotate must be a range in 0..180, was 0..200");
        assertThatThrownBy(() -> AugmentSpec.parse("randaugment=2"))
                .hasMessageEndingWith("it takes a number of operations and a magnitude, randaugment=2:9");
        assertThatThrownBy(() -> AugmentSpec.parse("autoaugment=coco"))
                .hasMessageEndingWith("it takes a table: imagenet, cifar10, svhn");
        assertThatThrownBy(() -> AugmentSpec.parse("choose=2(turn=3)"))
                .hasMessageContaining("unknown operation \"turn\"; known are identity, rotate");
        assertThatThrownBy(() -> AugmentSpec.parse("choose=rotate"))
                .hasMessageContaining("it takes changes in brackets");
        assertThatThrownBy(() -> AugmentSpec.parse("blur=0.5:q=3"))
                .hasMessageContaining("unknown option \"q=3\"; known are p=0.5, bins=31");
        assertThatThrownBy(() -> Augment.whole()
                        .policy(Policy.choose(1, Change.of(Operation.INVERT)))
                        .apply(TestImages.noise(DType.F32, 4, 4, 3, 0), TestImages.dice(0)))
                .hasMessageStartingWith("cannot change f32[4, 4, 3]; it takes u8[h, w, c]");
    }
}
