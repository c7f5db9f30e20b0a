package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RandomErasingTest {

    @Test
    void erasing_ofFixedDraw_keepsItsBytes() {
        Tensor image = TestImages.image(4, 4, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);

        Tensor erased = RandomErasing.of(1).apply(image, TestImages.dice(0));
        Tensor noisy = RandomErasing.of(1).noise().apply(image, TestImages.dice(0));

        assertThat(erased).isEqualTo(TestImages.image(4, 4, 1, 1, 2, 3, 4, 5, 0, 7, 8, 9, 0, 11, 12, 13, 0, 15, 16));
        assertThat(noisy)
                .isEqualTo(TestImages.image(4, 4, 1, 1, 2, 3, 4, 5, 233, 7, 8, 9, 215, 11, 12, 13, 55, 15, 16));
    }

    @Property
    void erasing_ofAnyImage_staysInside(
            @ForAll @IntRange(min = 1, max = 20) int height,
            @ForAll @IntRange(min = 1, max = 20) int width,
            @ForAll @IntRange(min = 1, max = 4) int channels,
            @ForAll boolean floats,
            @ForAll boolean noise,
            @ForAll @IntRange(max = 1000) int seed) {
        Tensor image = TestImages.noise(floats ? DType.F32 : DType.U8, height, width, channels, seed);
        RandomErasing erasing =
                noise ? RandomErasing.of(1).noise() : RandomErasing.of(1).value(7);

        RandomErasing.Erasure erasure = erasing.draw(image.shape(), TestImages.dice(seed));
        Tensor erased = erasing.apply(image, erasure);

        Region region = erasure.region();
        assertThat(region.fits(Image.of(image.shape()), 0)).isTrue();
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                boolean inside = y >= region.top()
                        && y < region.top() + region.height()
                        && x >= region.left()
                        && x < region.left() + region.width();
                for (int channel = 0; channel < channels; channel++) {
                    double was = TestImages.at(image, y, x, channel);
                    double is = TestImages.at(erased, y, x, channel);
                    assertThat(is)
                            .satisfies(value -> assertThat(inside ? noise || value == 7 : value == was)
                                    .isTrue());
                }
            }
        }
    }

    @Test
    void value_ofEachChannel_fillsEachChannel() {
        Tensor image = TestImages.counting(2, 2, 3);
        RandomErasing erasing = RandomErasing.of(1).value(124, 116.4, 103.6);

        Tensor erased = erasing.apply(image, new RandomErasing.Erasure(new Region(1, 0, 1, 2), 0));

        assertThat(erased).isEqualTo(TestImages.image(2, 2, 3, 0, 1, 2, 3, 4, 5, 124, 116, 104, 124, 116, 104));
    }

    @Test
    void noise_ofBytes_isUniformAndRepeatable() {
        Tensor image = TestImages.counting(100, 100, 3);
        RandomErasing.Erasure all = new RandomErasing.Erasure(new Region(0, 0, 100, 100), 5);
        RandomErasing erasing = RandomErasing.of(1).noise();

        double[] noise = TestImages.values(erasing.apply(image, all));

        // mean 127.5 with a deviation of 0.43 over 30,000 values, variance 5461
        double mean = Arrays.stream(noise).average().orElseThrow();
        double variance =
                Arrays.stream(noise).map(v -> (v - mean) * (v - mean)).average().orElseThrow();
        assertThat(mean).isCloseTo(127.5, within(1.7));
        assertThat(variance).isCloseTo(5461, within(110.0));
        assertThat(TestImages.values(erasing.apply(image, all))).isEqualTo(noise);
        assertThat(TestImages.values(erasing.apply(image, new RandomErasing.Erasure(all.region(), 6))))
                .isNotEqualTo(noise);
        assertThat(Arrays.copyOfRange(noise, 0, 300)).isNotEqualTo(Arrays.copyOfRange(noise, 300, 600));
    }

    @Test
    void noise_ofFloats_isCloseToNormal() {
        Tensor image = TestImages.noise(DType.F32, 100, 100, 3, 0);
        RandomErasing.Erasure all = new RandomErasing.Erasure(new Region(0, 0, 100, 100), 5);

        double[] noise = TestImages.values(RandomErasing.of(1).noise().apply(image, all));

        double mean = Arrays.stream(noise).average().orElseThrow();
        double variance =
                Arrays.stream(noise).map(v -> (v - mean) * (v - mean)).average().orElseThrow();
        long withinOne = Arrays.stream(noise).filter(v -> Math.abs(v) < 1).count();
        assertThat(mean).isCloseTo(0, within(0.025));
        assertThat(variance).isCloseTo(1, within(0.04));
        assertThat(withinOne / 30_000.0).isCloseTo(0.683, within(0.02));
    }

    @Test
    void draw_overManySamples_erasesAsOftenAndAsMuchAsAsked() {
        Shape shape = Shape.of(500, 400, 3);
        RandomErasing erasing = RandomErasing.of(0.25);

        Region[] regions = IntStream.range(0, 20_000)
                .mapToObj(i -> erasing.draw(shape, TestImages.dice(i)).region())
                .filter(region -> !region.isEmpty())
                .toArray(Region[]::new);

        // 5000 with a deviation of 61
        assertThat(regions).hasSizeBetween(4750, 5250).allSatisfy(region -> {
            assertThat(region.height() * region.width() / 200_000.0).isBetween(0.019, 0.332);
            assertThat((double) region.height() / region.width()).isBetween(0.29, 3.4);
        });
    }

    @Test
    void ratio_isHeightByWidth() {
        RandomErasing tall = RandomErasing.of(1).ratio(2, 3);

        for (int i = 0; i < 100; i++) {
            Region region = tall.draw(Shape.of(300, 300, 3), TestImages.dice(i)).region();
            assertThat((double) region.height() / region.width()).isBetween(1.9, 3.1);
        }
    }

    @Test
    void erasing_notDrawn_returnsTheImageItself() {
        Tensor image = TestImages.counting(9, 9, 3);

        assertThat(RandomErasing.of(0).apply(image, TestImages.dice(0))).isSameAs(image);
    }

    @Test
    void arguments_outOfRange_areRefused() {
        RandomErasing erasing = RandomErasing.of(1);
        RandomErasing.Erasure pixel = new RandomErasing.Erasure(new Region(0, 0, 1, 1), 0);
        Tensor image = TestImages.counting(2, 2, 3);

        assertThatThrownBy(() -> RandomErasing.of(-1)).hasMessage("erase must be in [0, 1], was -1");
        assertThatThrownBy(() -> erasing.scale(0.1, 2))
                .hasMessage("erase scale must be a range in (0, 1], was 0.1 to 2");
        assertThatThrownBy(() -> erasing.ratio(0, 2))
                .hasMessage("erase ratio must be a range in (0, 1000], was 0 to 2");
        assertThatThrownBy(erasing::value)
                .hasMessage("erase value must be one finite number for each channel, or one for all, was []");
        assertThatThrownBy(() -> erasing.value(256).apply(image, pixel))
                .hasMessage("erase value for u8 must be in [0, 255], was 256");
        assertThatThrownBy(() -> erasing.value(1, 2).apply(image, pixel))
                .hasMessage("cannot erase with 2 values from u8[2, 2, 3]; give one, or one for each channel");
        assertThatThrownBy(() -> erasing.apply(image, new RandomErasing.Erasure(new Region(0, 2, 1, 1), 0)))
                .hasMessage("cannot erase 1 × 1 at (0, 2) from 2 × 2; draw it for an image of this size");
        assertThatThrownBy(() -> erasing.apply(TestImages.noise(DType.I8, 2, 2, 1, 0), pixel))
                .hasMessage("cannot erase from i8[2, 2, 1]; it takes u8 or f32");
    }
}
