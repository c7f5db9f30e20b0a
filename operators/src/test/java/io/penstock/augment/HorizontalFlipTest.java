package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.augment.HorizontalFlip.Flip;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class HorizontalFlipTest {

    @Test
    void flip_ofAnImage_mirrorsItsPixelsNotItsChannels() {
        Tensor image = TestImages.image(2, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);

        Tensor flipped = HorizontalFlip.of(1).apply(image, TestImages.dice(0));

        assertThat(flipped).isEqualTo(TestImages.image(2, 2, 3, 4, 5, 6, 1, 2, 3, 10, 11, 12, 7, 8, 9));
    }

    @Property
    void flip_ofAnyWidth_mirrorsAndTwiceIsTheImage(
            @ForAll @IntRange(min = 1, max = 3) int height,
            @ForAll @IntRange(min = 1, max = 70) int width,
            @ForAll @IntRange(min = 1, max = 5) int channels,
            @ForAll DType dtype,
            @ForAll long seed) {
        Tensor image = TestImages.noise(dtype, height, width, channels, seed);
        HorizontalFlip flip = HorizontalFlip.of(1);

        Tensor once = flip.apply(image, new Flip(true));
        Tensor twice = flip.apply(once, new Flip(true));

        assertThat(twice).isEqualTo(image);
        byte[] from = image.toByteArray();
        byte[] to = once.toByteArray();
        int pixel = channels * dtype.bytes();
        for (int i = 0; i < from.length; i++) {
            int x = i / pixel % width;
            assertThat(to[i + (width - 1 - 2 * x) * pixel]).isEqualTo(from[i]);
        }
    }

    @Test
    void draw_overManySamples_flipsAboutAsOftenAsAsked() {
        Shape shape = Shape.of(4, 4, 3);

        long half = IntStream.range(0, 10_000)
                .filter(i ->
                        HorizontalFlip.of(0.5).draw(shape, TestImages.dice(i)).flipped())
                .count();
        long tenth = IntStream.range(0, 10_000)
                .filter(i ->
                        HorizontalFlip.of(0.1).draw(shape, TestImages.dice(i)).flipped())
                .count();

        // four deviations of a binomial: sqrt(10,000 · p · (1 − p)) is 50 and 30; the seeds are fixed
        assertThat(half).isBetween(4800L, 5200L);
        assertThat(tenth).isBetween(880L, 1120L);
    }

    @Test
    void draw_ofCertainty_isCertain() {
        Shape shape = Shape.of(4, 4, 3);

        for (int i = 0; i < 1000; i++) {
            assertThat(HorizontalFlip.of(0).draw(shape, TestImages.dice(i)).flipped())
                    .isFalse();
            assertThat(HorizontalFlip.of(1).draw(shape, TestImages.dice(i)).flipped())
                    .isTrue();
        }
    }

    @Test
    void flip_notDrawn_returnsTheImageItself() {
        Tensor image = TestImages.counting(2, 2, 3);

        assertThat(HorizontalFlip.of(0).apply(image, TestImages.dice(0))).isSameAs(image);
    }

    @Test
    void probability_outOfRange_isRefused() {
        assertThatThrownBy(() -> HorizontalFlip.of(1.5)).hasMessage("flip must be in [0, 1], was 1.5");
        assertThatThrownBy(() -> HorizontalFlip.of(Double.NaN)).hasMessage("flip must be in [0, 1], was NaN");
    }
}
