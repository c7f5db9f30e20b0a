package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RandomNumbersTest {

    @Property
    void below_ofAnyBits_isTheHighWordOfTheProduct(@ForAll long bits, @ForAll @IntRange(min = 1) int bound) {
        int drawn = RandomNumbers.below(() -> bits, bound);

        BigInteger unsigned = new BigInteger(Long.toUnsignedString(bits));
        assertThat(drawn)
                .isEqualTo(unsigned.multiply(BigInteger.valueOf(bound))
                        .shiftRight(64)
                        .intValueExact());
    }

    @Test
    void below_overManyDraws_favoursNoNumber() {
        int[] counts = new int[7];

        for (int i = 0; i < 70_000; i++) {
            counts[RandomNumbers.below(TestImages.dice(i), 7)]++;
        }

        // chi-squared with 6 degrees of freedom exceeds 22.5 once in a thousand; the seeds are fixed
        double chiSquared = 0;
        for (int count : counts) {
            chiSquared += Math.pow(count - 10_000, 2) / 10_000;
        }
        assertThat(chiSquared).isLessThan(22.5);
    }

    @Test
    void unit_ofExtremeBits_staysBelowOne() {
        assertThat(RandomNumbers.unit(() -> 0L)).isZero();
        assertThat(RandomNumbers.unit(() -> -1L)).isLessThan(1).isCloseTo(1, within(1e-15));
        assertThat(RandomNumbers.chance(() -> 0L, 0)).isFalse();
        assertThat(RandomNumbers.chance(() -> -1L, 1)).isTrue();
    }

    @Test
    void logBetween_atHalf_isTheGeometricMean() {
        assertThat(RandomNumbers.logBetween(0.25, 4, 0.5)).isCloseTo(1, within(1e-12));
        assertThat(RandomNumbers.logBetween(1, 100, 0.5)).isCloseTo(10, within(1e-12));
    }

    @Test
    void draw_ofAnyOutcome_takesTheSameNumberOfSteps() {
        List<ImageTransform<?>> transforms = List.of(
                RandomCrop.of(4, 5),
                RandomCrop.of(4, 5).padding(3),
                RandomResizedCrop.of(8, 8),
                RandomResizedCrop.of(8, 8).ratio(0.1, 10),
                HorizontalFlip.of(0.5),
                ColourJitter.of(0, 0, 0, 0),
                ColourJitter.of(0.4, 0.4, 0.4, 0.1),
                RandomErasing.of(0.5),
                RandomErasing.of(0.5).scale(0.9, 1).noise(),
                Augment.resizedCrop(8, 8).flip().jitter(0.4, 0.4, 0.4, 0.1).erase(0.5));
        List<Integer> steps = new ArrayList<>();

        for (ImageTransform<?> transform : transforms) {
            steps.add(steps(transform));
        }

        assertThat(steps).containsExactly(2, 2, 22, 22, 1, 5, 5, 24, 24, 52);
    }

    private static int steps(ImageTransform<?> transform) {
        int steps = -1;
        for (int i = 0; i < 300; i++) {
            TestImages.Counting dice = new TestImages.Counting(i);
            transform.draw(TestImages.counting(5 + i % 7, 5 + i % 11, 3).shape(), dice);
            assertThat(steps == -1 || steps == dice.count()).isTrue();
            steps = dice.count();
        }
        return steps;
    }
}
