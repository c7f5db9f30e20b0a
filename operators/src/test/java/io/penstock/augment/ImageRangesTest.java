package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.image.CentreCrop;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Every number that an image operator is given has a range. */
class ImageRangesTest {

    static final List<Map.Entry<String, IntConsumer>> SIDES = List.of(
            Map.entry("centre crop, height", side -> CentreCrop.of(side, 1)),
            Map.entry("centre crop, width", side -> CentreCrop.of(1, side)),
            Map.entry("resize, height", side -> Resize.exact(side, 1)),
            Map.entry("resize, width", side -> Resize.exact(1, side)),
            Map.entry("resize, shorter side", Resize::shorterSide),
            Map.entry("random crop, height", side -> RandomCrop.of(side, 1)),
            Map.entry("random crop, width", side -> RandomCrop.of(1, side)),
            Map.entry("random resized crop, height", side -> RandomResizedCrop.of(side, 1)),
            Map.entry("random resized crop, width", side -> RandomResizedCrop.of(1, side)),
            Map.entry("crop", side -> Augment.crop(side, 1)),
            Map.entry("resized crop", side -> Augment.resizedCrop(1, side)),
            Map.entry("max pixels", pixels -> ImageDecoder.fastest().maxPixels(pixels)));

    static final List<Map.Entry<String, DoubleConsumer>> SHARES = List.of(
            Map.entry("flip", HorizontalFlip::of),
            Map.entry("erase", RandomErasing::of),
            Map.entry("erase of all", share -> Augment.crop(1, 1).erase(share)),
            Map.entry("erased scale", share -> RandomErasing.of(1).scale(share, share)),
            Map.entry("erased ratio", ratio -> RandomErasing.of(1).ratio(ratio, ratio)),
            Map.entry("crop's scale", share -> RandomResizedCrop.of(1, 1).scale(share, share)),
            Map.entry("crop's ratio", ratio -> RandomResizedCrop.of(1, 1).ratio(ratio, ratio)),
            Map.entry("brightness", strength -> ColourJitter.of(strength, 0, 0, 0)),
            Map.entry("contrast", strength -> ColourJitter.of(0, strength, 0, 0)),
            Map.entry("saturation", strength -> ColourJitter.of(0, 0, strength, 0)),
            Map.entry("hue", strength -> ColourJitter.of(0, 0, 0, strength)));

    @ParameterizedTest
    @FieldSource("SIDES")
    void side_outOfRange_isRefusedWithItsValue(Map.Entry<String, IntConsumer> setter) {
        for (int side : new int[] {Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> setter.getValue().accept(side))
                    .as("%s %d", setter.getKey(), side)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(Integer.toString(side));
        }
        setter.getValue().accept(1);
    }

    @ParameterizedTest
    @FieldSource("SHARES")
    void share_outOfRange_isRefusedWithItsValue(Map.Entry<String, DoubleConsumer> setter) {
        for (double share : new double[] {-1, 1e300, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertThatThrownBy(() -> setter.getValue().accept(share))
                    .as("%s %s", setter.getKey(), share)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(setter.getKey()).isNotEmpty();
        setter.getValue().accept(0.5);
    }
}
