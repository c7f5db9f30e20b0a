package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.Tensor;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AugmentSpecTest {

    private static final String OPERATIONS =
            "identity, rotate, shear-x, shear-y, translate-x, translate-y, vertical-flip, "
                    + "perspective, brightness, contrast, saturation, sharpness, grey, blur, posterise, solarise, autocontrast, "
                    + "equalise, invert, randaugment, trivialaugment, autoaugment, choose, any-order";

    @Test
    void parse_ofAllWords_isTheChainTheySay() {
        Tensor image = TestImages.counting(40, 40, 3);
        Augment spelled = Augment.crop(RandomCrop.of(20, 24).padding(4, Padding.REFLECT))
                .flip(HorizontalFlip.of(0.25))
                .jitter(0.4, 0.3, 0.2, 0.1)
                .erase(RandomErasing.of(0.9).scale(0.1, 0.2).ratio(0.5, 2).noise())
                .normalise(Normalise.imageNet());

        Augment parsed = AugmentSpec.parse("crop=20x24:pad=4:reflect, flip=0.25, jitter=0.4:0.3:0.2:0.1,"
                + "erase=0.9:scale=0.1..0.2:ratio=0.5..2:noise,normalise=imagenet");

        assertThat(parsed.name()).isEqualTo(spelled.name());
        for (int i = 0; i < 20; i++) {
            assertThat(parsed.apply(image, TestImages.dice(i))).isEqualTo(spelled.apply(image, TestImages.dice(i)));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "crop=200,flip | crop=200,flip=0.5",
                "flip,crop=200x200 | crop=200,flip=0.5",
                "crop=32x48:pad=4 | crop=32x48:pad=4",
                "jitter=0.40 | jitter=0.4:0.4:0.4:0",
                "resized-crop=224:scale=0.08..1:ratio=0.5..2 | resized-crop=224:ratio=0.5..2",
                "erase=0.25:value=0 | erase=0.25",
                "erase=.25:value=124/116/104 | erase=0.25:value=124/116/104",
                "normalise=0.5:0.25 | normalise=0.5:0.25",
                "normalise=imagenet | normalise=0.485/0.456/0.406:0.229/0.224/0.225",
                "crop=200,flip,jitter=0.4,erase=0.25 | crop=200,flip=0.5,jitter=0.4:0.4:0.4:0,erase=0.25",
            })
    void name_ofAParsedText_isCanonicalAndParsesToItself(String text, String canonical) {
        Augment parsed = AugmentSpec.parse(text);

        assertThat(parsed.name()).isEqualTo(canonical);
        assertThat(AugmentSpec.parse(canonical).name()).isEqualTo(canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "crop=200,blurr=3 | unknown augmentation \"blurr\" in \"crop=200,blurr=3\"; "
                        + "known are crop, resized-crop, flip, jitter, erase, normalise, boxes, mask, dense, whole, "
                        + OPERATIONS,
                "'' | unknown augmentation \"\" in \"\"; known are crop, resized-crop, flip, jitter, erase, normalise, "
                        + "boxes, mask, dense, whole, " + OPERATIONS,
                "crop | augmentation \"crop\": it takes height and width in pixels, 200 or 200x300",
                "crop=a | augmentation \"crop=a\": height must be a whole number, was \"a\"",
                "crop=0 | augmentation \"crop=0\": crop must be at least 1 × 1 and of less than 2^29 pixels, was 0 × 0",
                "crop=2x3x4 | augmentation \"crop=2x3x4\": it takes height and width in pixels, 200 or 200x300",
                "crop=2:pod=4 | augmentation \"crop=2:pod=4\": unknown option \"pod=4\"; known are pad=4, reflect",
                "crop=2:reflect | augmentation \"crop=2:reflect\": reflect needs pad=… too",
                "crop=2,resized-crop=3 | augmentation \"resized-crop=3\": one crop is enough",
                "resized-crop=8:scale=0.5 | augmentation \"resized-crop=8:scale=0.5\": "
                        + "scale must be a range, low..high, was \"0.5\"",
                "resized-crop=8:scale=0..1 | augmentation \"resized-crop=8:scale=0..1\": "
                        + "resized-crop scale must be a range in (0, 1], was 0 to 1",
                "flip,flip | augmentation \"flip\": it is there twice",
                "flip=2 | augmentation \"flip=2\": flip must be in [0, 1], was 2",
                "flip=0.5:x | augmentation \"flip=0.5:x\": it takes a probability only, flip=0.5",
                "jitter=0.4:0.4 | augmentation \"jitter=0.4:0.4\": "
                        + "it takes one strength or four, jitter=0.4 or jitter=0.4:0.4:0.4:0.1",
                "jitter=-1 | augmentation \"jitter=-1\": brightness strength must be in [0, 100], was -1",
                "erase=x | augmentation \"erase=x\": probability must be a number, was \"x\"",
                "erase=1:value=1/ | augmentation \"erase=1:value=1/\": value must be a number, was \"\"",
                "normalise=0.5 | augmentation \"normalise=0.5\": "
                        + "it takes imagenet, or mean and deviation, normalise=0.5:0.25",
            })
    void parse_ofWrongText_namesTheWordAndWhatIsWrong(String text, String message) {
        assertThatThrownBy(() -> AugmentSpec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "crop=", "=", "flip=", "jitter=:", "erase=0.5:", "normalise=:", "crop=1,", "crop=NaN"})
    void parse_ofFragments_isRefused(String text) {
        assertThatThrownBy(() -> AugmentSpec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        text.contains("=") && !text.equals("=") && !text.endsWith(",") ? "aug" : "unknown");
    }

    @Property
    void parse_ofAnyText_isAnAugmentOrAnIllegalArgument(@ForAll @StringLength(max = 20) String text) {
        try {
            AugmentSpec.parse("crop=3:" + text);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("augmentation \"crop=3:");
        }
    }
}
