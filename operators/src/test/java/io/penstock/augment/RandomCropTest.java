package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RandomCropTest {

    @Test
    void crop_ofFixedDraws_keepsItsBytes() {
        Tensor image = TestImages.counting(5, 6, 3);

        Tensor first = RandomCrop.of(2, 2).apply(image, TestImages.dice(0));
        Tensor second = RandomCrop.of(2, 2).apply(image, TestImages.dice(1));
        Tensor third = RandomCrop.of(2, 2).apply(image, TestImages.dice(2));

        // at (3, 3), (2, 2) and (0, 4)
        assertThat(first).isEqualTo(TestImages.image(2, 2, 3, 63, 64, 65, 66, 67, 68, 81, 82, 83, 84, 85, 86));
        assertThat(second).isEqualTo(TestImages.image(2, 2, 3, 42, 43, 44, 45, 46, 47, 60, 61, 62, 63, 64, 65));
        assertThat(third).isEqualTo(TestImages.image(2, 2, 3, 12, 13, 14, 15, 16, 17, 30, 31, 32, 33, 34, 35));
    }

    @Property
    void crop_ofAnySize_isTheRectangleItDrew(
            @ForAll @IntRange(min = 1, max = 20) int height,
            @ForAll @IntRange(min = 1, max = 20) int width,
            @ForAll @IntRange(min = 1, max = 5) int channels,
            @ForAll DType dtype,
            @ForAll @IntRange(max = 19) int shorter,
            @ForAll @IntRange(max = 19) int narrower,
            @ForAll long seed) {
        Tensor image = TestImages.noise(dtype, height, width, channels, seed);
        RandomCrop crop = RandomCrop.of(Math.max(1, height - shorter), Math.max(1, width - narrower));

        Region region = crop.draw(image.shape(), TestImages.dice(Math.abs(seed % 1000)));
        Tensor cropped = crop.apply(image, region);

        assertThat(region.fits(Image.of(image.shape()), 0)).isTrue();
        assertThat(cropped.shape()).isEqualTo(Shape.of(region.height(), region.width(), channels));
        assertThat(cropped.dtype()).isEqualTo(dtype);
        int pixel = channels * dtype.bytes();
        byte[] from = image.toByteArray();
        byte[] to = cropped.toByteArray();
        for (int y = 0; y < region.height(); y++) {
            for (int i = 0; i < region.width() * pixel; i++) {
                int source = ((region.top() + y) * width + region.left()) * pixel + i;
                assertThat(to[y * region.width() * pixel + i]).isEqualTo(from[source]);
            }
        }
    }

    @Test
    void crop_overManyDraws_takesEveryPlaceEquallyOften() {
        RandomCrop crop = RandomCrop.of(4, 4);
        Map<Region, Integer> places = new HashMap<>();

        for (int i = 0; i < 12_000; i++) {
            places.merge(crop.draw(Shape.of(6, 7, 3), TestImages.dice(i)), 1, Integer::sum);
        }

        // 12 places, 1000 expected at each with a deviation of 30
        assertThat(places)
                .hasSize(12)
                .allSatisfy(
                        (place, count) -> assertThat(count).as(place.toString()).isBetween(850, 1150));
    }

    @Test
    void padding_withZeros_surroundsTheImage() {
        Tensor image = TestImages.image(2, 2, 1, 1, 2, 3, 4);
        RandomCrop crop = RandomCrop.of(4, 6).padding(2);

        Tensor cropped = crop.apply(image, new Region(-1, -2, 4, 6));

        assertThat(cropped)
                .isEqualTo(TestImages.image(
                        4, 6, 1, //
                        0, 0, 0, 0, 0, 0, //
                        0, 0, 1, 2, 0, 0, //
                        0, 0, 3, 4, 0, 0, //
                        0, 0, 0, 0, 0, 0));
    }

    @Test
    void padding_mirrored_doesNotRepeatTheEdge() {
        Tensor image = TestImages.image(2, 3, 1, 1, 2, 3, 4, 5, 6);
        RandomCrop crop = RandomCrop.of(4, 5).padding(1, Padding.REFLECT);

        Tensor cropped = crop.apply(image, new Region(-1, -1, 4, 5));

        assertThat(cropped)
                .isEqualTo(TestImages.image(
                        4, 5, 1, //
                        5, 4, 5, 6, 5, //
                        2, 1, 2, 3, 2, //
                        5, 4, 5, 6, 5, //
                        2, 1, 2, 3, 2));
    }

    @Property
    void padding_ofAnyKind_isThePaddedImageCropped(
            @ForAll @IntRange(min = 5, max = 9) int height,
            @ForAll @IntRange(min = 5, max = 9) int width,
            @ForAll @IntRange(min = 1, max = 17) int rows,
            @ForAll @IntRange(min = 1, max = 17) int columns,
            @ForAll @IntRange(max = 4) int around,
            @ForAll Padding padding,
            @ForAll @IntRange(max = 1000) int seed) {
        int wantedRows = Math.min(rows, height + 2 * around);
        int wantedColumns = Math.min(columns, width + 2 * around);
        Tensor image = TestImages.noise(DType.U8, height, width, 3, seed);
        RandomCrop crop = RandomCrop.of(wantedRows, wantedColumns).padding(around, padding);

        Region region = crop.draw(image.shape(), TestImages.dice(seed));
        Tensor cropped = crop.apply(image, region);

        assertThat(region.fits(Image.of(image.shape()), around)).isTrue();
        for (int y = 0; y < wantedRows; y++) {
            for (int x = 0; x < wantedColumns; x++) {
                int sourceY = place(region.top() + y, height, padding);
                int sourceX = place(region.left() + x, width, padding);
                double expected = sourceY < 0 || sourceX < 0 ? 0 : TestImages.at(image, sourceY, sourceX, 1);
                assertThat(TestImages.at(cropped, y, x, 1)).isEqualTo(expected);
            }
        }
    }

    private static int place(int i, int length, Padding padding) {
        if (i >= 0 && i < length) {
            return i;
        }
        return padding == Padding.ZERO ? -1 : i < 0 ? -i : 2 * length - 2 - i;
    }

    @Test
    void draw_ofSmallImage_saysBothSizesAndTheWayOut() {
        Shape shape = Shape.of(200, 300, 3);

        assertThatThrownBy(() -> RandomCrop.of(224, 224).draw(shape, TestImages.dice(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cannot crop 224 × 224 out of 200 × 300; resize to at least that or pad");
        assertThatThrownBy(() -> RandomCrop.of(224, 224).padding(4).draw(shape, TestImages.dice(0)))
                .hasMessage("cannot crop 224 × 224 out of 200 × 300 padded by 4; resize to at least that or pad more");
    }

    @Test
    void apply_ofForeignRegion_isRefused() {
        Tensor image = TestImages.counting(4, 4, 3);

        assertThatThrownBy(() -> RandomCrop.of(2, 2).apply(image, new Region(3, 0, 2, 2)))
                .hasMessage("cannot crop 2 × 2 at (3, 0) out of 4 × 4; draw it for an image of this size");
        assertThatThrownBy(() -> RandomCrop.of(2, 2).apply(image, Region.EMPTY))
                .hasMessageContaining("cannot crop 0 × 0");
        assertThatThrownBy(() -> RandomCrop.of(2, 2).apply(image, new Region(-1, 0, 2, 2)))
                .hasMessageContaining("cannot crop 2 × 2 at (-1, 0)");
        assertThatThrownBy(() -> RandomCrop.of(2, 2).apply(image, new Region(0, -1, 2, 2)))
                .hasMessageContaining("cannot crop 2 × 2 at (0, -1)");
        assertThatThrownBy(() -> RandomCrop.of(2, 2).apply(image, new Region(0, Integer.MAX_VALUE, 2, 2)))
                .hasMessageContaining("cannot crop 2 × 2 at (0, 2147483647)");
    }

    @Test
    void arguments_outOfRange_areRefused() {
        assertThatThrownBy(() -> RandomCrop.of(0, 3))
                .hasMessage("crop must be at least 1 × 1 and of less than 2^29 pixels, was 0 × 3");
        assertThatThrownBy(() -> RandomCrop.of(1 << 20, 1 << 20)).hasMessageContaining("less than 2^29 pixels");
        assertThatThrownBy(() -> RandomCrop.of(3, 3).padding(-1)).hasMessage("padding must be in [0, 2^20], was -1");
        assertThatThrownBy(() -> RandomCrop.of(3, 3).draw(Shape.of(4, 4), TestImages.dice(0)))
                .hasMessage("cannot augment a tensor of shape [4, 4]; an image is [height, width, channels], none of"
                        + " them 0");
        assertThatThrownBy(() -> RandomCrop.of(3, 3)
                        .padding(2, Padding.REFLECT)
                        .apply(TestImages.counting(2, 2, 1), TestImages.dice(0)))
                .hasMessage("cannot mirror 2 pixels around an image of 2 × 2; pad less or with zeros");
    }
}
