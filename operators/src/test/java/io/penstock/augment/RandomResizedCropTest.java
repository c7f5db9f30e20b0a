package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.image.Resize;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RandomResizedCropTest {

    @Test
    void resizedCrop_ofFixedDraw_keepsItsBytes() {
        Tensor image = TestImages.counting(9, 9, 3);
        RandomResizedCrop crop = RandomResizedCrop.of(2, 2);

        Region region = crop.draw(image.shape(), TestImages.dice(0));
        Tensor resized = crop.apply(image, region);

        assertThat(region).isEqualTo(new Region(1, 0, 8, 8));
        assertThat(resized).isEqualTo(TestImages.image(2, 2, 3, 84, 85, 86, 93, 94, 95, 171, 172, 173, 180, 181, 182));
    }

    @Test
    void enlarging_byTwo_interpolatesBetweenHalfPixelCentres() {
        Tensor image = TestImages.image(1, 2, 1, 0, 100);

        Tensor resized = RandomResizedCrop.of(1, 4).apply(image, new Region(0, 0, 1, 2));

        assertThat(resized).isEqualTo(TestImages.image(1, 4, 1, 0, 25, 75, 100));
    }

    @Test
    void reducing_byTwo_weighsAllPixelsWithinReach() {
        Tensor image = TestImages.image(1, 4, 1, 0, 80, 160, 240);

        Tensor resized = RandomResizedCrop.of(1, 2).apply(image, new Region(0, 0, 1, 4));

        // the first is centred on 1.0 and reaches to 3.0: weights 3/4, 3/4, 1/4 at 0.5, 1.5, 2.5, over their sum 7/4
        assertThat(resized).isEqualTo(TestImages.image(1, 2, 1, 57, 183));
    }

    @Property(tries = 300)
    void resizing_ofBytes_isWithinOneOfTheSlowReference(
            @ForAll @IntRange(min = 1, max = 30) int height,
            @ForAll @IntRange(min = 1, max = 30) int width,
            @ForAll @IntRange(min = 1, max = 4) int channels,
            @ForAll @IntRange(min = 1, max = 20) int rows,
            @ForAll @IntRange(min = 1, max = 20) int columns,
            @ForAll @IntRange(max = 1000) int seed) {
        Tensor image = TestImages.noise(DType.U8, height, width, channels, seed);
        RandomResizedCrop crop = RandomResizedCrop.of(rows, columns);
        Region region = crop.draw(image.shape(), TestImages.dice(seed));

        Tensor resized = crop.apply(image, region);

        double[] expected = SlowResize.of(image, region, rows, columns);
        assertThat(resized.shape()).isEqualTo(Shape.of(rows, columns, channels));
        for (int i = 0; i < expected.length; i++) {
            assertThat(resized.doubleAt(i)).isCloseTo(expected[i], within(1.01));
        }
    }

    @Property(tries = 300)
    void resizing_ofBytes_isCropThenResize(
            @ForAll @IntRange(min = 1, max = 60) int height,
            @ForAll @IntRange(min = 1, max = 60) int width,
            @ForAll @IntRange(min = 1, max = 4) int channels,
            @ForAll @IntRange(min = 1, max = 30) int rows,
            @ForAll @IntRange(min = 1, max = 30) int columns,
            @ForAll @IntRange(max = 1000) int seed) {
        Tensor image = TestImages.noise(DType.U8, height, width, channels, seed);
        RandomResizedCrop resizedCrop = RandomResizedCrop.of(rows, columns);
        Region region = resizedCrop.draw(image.shape(), TestImages.dice(seed));

        Tensor fused = resizedCrop.apply(image, region);

        Tensor cropped = RandomCrop.of(region.height(), region.width()).apply(image, region);
        assertThat(fused).isEqualTo(Resize.exact(rows, columns).apply(cropped));
    }

    @Property(tries = 300)
    void resizing_ofFloats_isTheSlowReference(
            @ForAll @IntRange(min = 1, max = 30) int height,
            @ForAll @IntRange(min = 1, max = 30) int width,
            @ForAll @IntRange(min = 1, max = 4) int channels,
            @ForAll @IntRange(max = 1000) int seed) {
        Tensor image = TestImages.noise(DType.F32, height, width, channels, seed);
        RandomResizedCrop crop = RandomResizedCrop.of(7, 11);
        Region region = crop.draw(image.shape(), TestImages.dice(seed));

        Tensor resized = crop.apply(image, region);

        assertThat(resized.dtype()).isEqualTo(DType.F32);
        assertThat(TestImages.values(resized)).containsExactly(SlowResize.of(image, region, 7, 11), within(1e-5));
    }

    @Property(tries = 300)
    void resizing_toTheSameSize_isTheRegion(
            @ForAll @IntRange(min = 1, max = 40) int height,
            @ForAll @IntRange(min = 1, max = 40) int width,
            @ForAll @IntRange(max = 1000) int seed) {
        Tensor image = TestImages.noise(DType.U8, height, width, 3, seed);
        Region whole = new Region(0, 0, height, width);

        assertThat(RandomResizedCrop.of(height, width).apply(image, whole)).isEqualTo(image);
    }

    @Property(tries = 300)
    void resizing_ofOneColour_isThatColour(
            @ForAll @IntRange(max = 255) int value,
            @ForAll @IntRange(min = 1, max = 300) int height,
            @ForAll @IntRange(min = 1, max = 50) int rows) {
        byte[] bytes = new byte[height * 7 * 3];
        Arrays.fill(bytes, (byte) value);
        Tensor image = Tensor.ofBytes(bytes, height, 7, 3);

        Tensor resized = RandomResizedCrop.of(rows, 5).apply(image, new Region(0, 0, height, 7));

        assertThat(TestImages.values(resized)).containsOnly(value);
    }

    @Test
    void draw_overManySamples_hasTheAreasAndRatiosAskedFor() {
        RandomResizedCrop crop = RandomResizedCrop.of(224, 224);
        Shape shape = Shape.of(1000, 1000, 3);

        Region[] regions = IntStream.range(0, 20_000)
                .mapToObj(i -> crop.draw(shape, TestImages.dice(i)))
                .toArray(Region[]::new);

        assertThat(regions).allSatisfy(region -> {
            assertThat(region.fits(new Image(1000, 1000, 3), 0)).isTrue();
            assertThat(region.height() * region.width() / 1e6).isBetween(0.079, 1.0);
            assertThat((double) region.width() / region.height()).isBetween(0.747, 1.338);
        });
        // areas up to 3/4 fit at every ratio, so those are uniform: a quarter of them is below 0.08 + 0.67 / 4
        double[] areas = Arrays.stream(regions)
                .mapToDouble(region -> region.height() * region.width() / 1e6)
                .filter(area -> area < 0.75)
                .sorted()
                .toArray();
        assertThat(areas[areas.length / 4]).isCloseTo(0.2475, within(0.01));
        assertThat(areas[areas.length / 2]).isCloseTo(0.415, within(0.01));
        // uniform in the logarithm: as many wide as high
        long wide = Arrays.stream(regions)
                .filter(region -> region.width() > region.height())
                .count();
        assertThat(wide).isBetween(9_700L, 10_300L);
    }

    @Test
    void draw_whereNoRatioFits_isTheLargestCentredOne() {
        RandomResizedCrop crop = RandomResizedCrop.of(8, 8).scale(1, 1);

        assertThat(crop.draw(Shape.of(30, 900, 3), TestImages.dice(0))).isEqualTo(new Region(0, 430, 30, 40));
        assertThat(crop.draw(Shape.of(900, 30, 3), TestImages.dice(0))).isEqualTo(new Region(430, 0, 40, 30));
    }

    @Test
    void arguments_outOfRange_areRefused() {
        RandomResizedCrop crop = RandomResizedCrop.of(8, 8);

        assertThatThrownBy(() -> crop.scale(0, 1))
                .hasMessage("resized-crop scale must be a range in (0, 1], was 0 to 1");
        assertThatThrownBy(() -> crop.scale(0.5, 0.4)).hasMessageContaining("was 0.5 to 0.4");
        assertThatThrownBy(() -> crop.ratio(-1, 2))
                .hasMessage("resized-crop ratio must be a range in (0, 1000], was -1 to 2");
        assertThatThrownBy(() -> crop.ratio(1, Double.NaN)).hasMessageContaining("was 1 to NaN");
        assertThatThrownBy(() -> crop.apply(TestImages.noise(DType.I16, 9, 9, 3, 0), TestImages.dice(0)))
                .hasMessage("cannot resize i16[9, 9, 3]; it takes u8 or f32");
        assertThatThrownBy(() -> crop.apply(TestImages.counting(9, 9, 3), new Region(5, 0, 5, 5)))
                .hasMessage("cannot crop 5 × 5 at (5, 0) out of 9 × 9; draw it for an image of this size");
    }
}
