package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.augment.Colour.Adjustment;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ColourJitterTest {

    private static final ColourJitter JITTER = ColourJitter.of(0.4, 0.4, 0.4, 0.1);
    private static final List<Adjustment> IN_ORDER = List.of(Adjustment.values());

    @Test
    void jitter_ofFixedDraw_keepsItsBytes() {
        Tensor image = TestImages.image(2, 2, 3, 200, 100, 50, 0, 128, 255, 10, 20, 30, 90, 90, 90);

        Colour colour = JITTER.draw(image.shape(), TestImages.dice(0));
        Tensor first = JITTER.apply(image, colour);
        Tensor second = JITTER.apply(image, TestImages.dice(1));

        assertThat(colour)
                .isEqualTo(new Colour(
                        1.2438582771853564,
                        1.1108027788260526,
                        1.3494174228703235,
                        -0.027968000562616904,
                        List.of(Adjustment.SATURATION, Adjustment.HUE, Adjustment.BRIGHTNESS, Adjustment.CONTRAST)));
        assertThat(first).isEqualTo(TestImages.image(2, 2, 3, 255, 68, 22, 0, 236, 255, 0, 24, 35, 113, 113, 113));
        assertThat(second).isEqualTo(TestImages.image(2, 2, 3, 194, 59, 68, 31, 229, 248, 8, 24, 27, 94, 94, 94));
    }

    @Test
    void brightness_multipliesAndClamps() {
        Tensor image = TestImages.image(1, 2, 3, 0, 1, 3, 100, 169, 200);

        Tensor brighter = JITTER.apply(image, new Colour(1.5, 1, 1, 0, IN_ORDER));

        assertThat(brighter).isEqualTo(TestImages.image(1, 2, 3, 0, 2, 5, 150, 254, 255));
    }

    @Test
    void contrast_movesAwayFromTheMeanGrey() {
        // greys are 100 and 200, so their mean is 150
        Tensor image = TestImages.image(1, 2, 3, 100, 100, 100, 200, 200, 200);

        Tensor lower = JITTER.apply(image, new Colour(1, 0.5, 1, 0, IN_ORDER));
        Tensor higher = JITTER.apply(image, new Colour(1, 3, 1, 0, IN_ORDER));

        assertThat(lower).isEqualTo(TestImages.image(1, 2, 3, 125, 125, 125, 175, 175, 175));
        assertThat(higher).isEqualTo(TestImages.image(1, 2, 3, 0, 0, 0, 255, 255, 255));
    }

    @Test
    void contrast_weighsChannelsAsTheEyeDoes() {
        Tensor image = TestImages.image(1, 1, 3, 200, 100, 50);

        Tensor none = JITTER.apply(image, new Colour(1, 0, 1, 0, IN_ORDER));

        // 0.299 · 200 + 0.587 · 100 + 0.114 · 50 = 124.2
        assertThat(none).isEqualTo(TestImages.image(1, 1, 3, 124, 124, 124));
    }

    @Test
    void contrast_afterBrightness_takesTheMeanOfTheBrighter() {
        Tensor image = TestImages.image(1, 2, 1, 100, 200);
        List<Adjustment> contrastFirst =
                List.of(Adjustment.CONTRAST, Adjustment.BRIGHTNESS, Adjustment.HUE, Adjustment.SATURATION);

        Tensor after = JITTER.apply(image, new Colour(0.5, 4, 1, 0, IN_ORDER));
        Tensor before = JITTER.apply(image, new Colour(0.5, 4, 1, 0, contrastFirst));

        // 50 and 100 away from 75 are -25 and 175; 100 and 200 away from 150 are -50 and 350
        assertThat(after).isEqualTo(TestImages.image(1, 2, 1, 0, 175));
        assertThat(before).isEqualTo(TestImages.image(1, 2, 1, 0, 128));
    }

    @Test
    void saturation_movesAwayFromThePixelsGrey() {
        Tensor image = TestImages.image(1, 1, 3, 200, 100, 50);

        Tensor grey = JITTER.apply(image, new Colour(1, 1, 0, 0, IN_ORDER));
        Tensor half = JITTER.apply(image, new Colour(1, 1, 0.5, 0, IN_ORDER));
        Tensor more = JITTER.apply(image, new Colour(1, 1, 2, 0, IN_ORDER));

        assertThat(grey).isEqualTo(TestImages.image(1, 1, 3, 124, 124, 124));
        assertThat(half).isEqualTo(TestImages.image(1, 1, 3, 162, 112, 87));
        assertThat(more).isEqualTo(TestImages.image(1, 1, 3, 255, 76, 0));
    }

    /** However many of them one pass makes: rounded and clamped after each. */
    @Test
    void adjustments_inAnyOrder_areThoseOneAfterAnother() {
        SplittableRandom random = new SplittableRandom(7);
        for (int time = 0; time < 500; time++) {
            int channels = 3 + time % 2;
            byte[] bytes = new byte[6 * 5 * channels];
            random.nextBytes(bytes);
            Tensor image = Tensor.ofBytes(bytes, 6, 5, channels);
            double most = time % 5 == 0 ? Colour.MAX_FACTOR : 2;
            double[] factors = random.doubles(3, 0, most).toArray();
            List<Adjustment> order = ColourJitter.of(0, 0, 0, 0).draw(random).order();
            double hue = time % 3 == 0 ? random.nextDouble(-0.5, 0.5) : 0;

            Tensor separate = image;
            for (Adjustment one : order) {
                separate = JITTER.apply(
                        separate,
                        switch (one) {
                            case BRIGHTNESS -> new Colour(factors[0], 1, 1, 0, IN_ORDER);
                            case CONTRAST -> new Colour(1, factors[1], 1, 0, IN_ORDER);
                            case SATURATION -> new Colour(1, 1, factors[2], 0, IN_ORDER);
                            case HUE -> new Colour(1, 1, 1, hue, IN_ORDER);
                        });
            }

            assertThat(JITTER.apply(image, new Colour(factors[0], factors[1], factors[2], hue, order)))
                    .as("case %d in the order %s", time, order)
                    .isEqualTo(separate);
        }
    }

    /** By the definition, for all values of two channels. */
    @Test
    void saturation_ofAnyFactor_isTheDistanceFromGreyInFixedPoint() {
        for (double factor : new double[] {0, 0.3, 1.37, 2, Colour.MAX_FACTOR}) {
            int fixed = (int) Math.rint(factor * 65536);
            byte[] bytes = new byte[256 * 256 * 3];
            for (int i = 0; i < 256 * 256; i++) {
                bytes[3 * i] = (byte) (i >> 8);
                bytes[3 * i + 1] = (byte) i;
                bytes[3 * i + 2] = (byte) (i * 31);
            }

            byte[] moved = JITTER.apply(Tensor.ofBytes(bytes, 256, 256, 3), new Colour(1, 1, factor, 0, IN_ORDER))
                    .toByteArray();

            for (int i = 0; i < bytes.length; i++) {
                int at = i - i % 3;
                int grey = 19595 * (bytes[at] & 255) + 38470 * (bytes[at + 1] & 255) + 7471 * (bytes[at + 2] & 255);
                int whole = grey + 32768 >> 16;
                long expected = ((long) whole << 16) + (long) fixed * ((bytes[i] & 255) - whole) + 32768 >> 16;
                assertThat(moved[i] & 255).isEqualTo((int) Math.max(0, Math.min(255, expected)));
            }
        }
    }

    @Test
    void hue_byThirds_rotatesTheChannels() {
        Tensor image = TestImages.image(1, 2, 3, 200, 100, 50, 7, 7, 7);

        Tensor third = JITTER.apply(image, new Colour(1, 1, 1, 1.0 / 3, IN_ORDER));
        Tensor back = JITTER.apply(image, new Colour(1, 1, 1, -1.0 / 3, IN_ORDER));

        assertThat(third).isEqualTo(TestImages.image(1, 2, 3, 50, 200, 100, 7, 7, 7));
        assertThat(back).isEqualTo(TestImages.image(1, 2, 3, 100, 50, 200, 7, 7, 7));
    }

    @Property
    void hue_ofAnyColour_isTheSlowOne(
            @ForAll @IntRange(max = 255) int red,
            @ForAll @IntRange(max = 255) int green,
            @ForAll @IntRange(max = 255) int blue,
            @ForAll @DoubleRange(min = -0.5, max = 0.5) double turn) {
        Tensor image = TestImages.image(1, 1, 3, red, green, blue);

        Tensor turned = JITTER.apply(image, new Colour(1, 1, 1, turn, IN_ORDER));

        assertThat(TestImages.values(turned)).containsExactly(slowTurn(red, green, blue, turn), within(0.51));
    }

    /** From RGB to HSV and back by the textbook, in double precision. */
    private static double[] slowTurn(int red, int green, int blue, double turn) {
        double most = Math.max(red, Math.max(green, blue));
        double step = most - Math.min(red, Math.min(green, blue));
        double hue = step == 0
                ? 0
                : most == red
                        ? (green - blue) / step
                        : most == green ? 2 + (blue - red) / step : 4 + (red - green) / step;
        double[] result = new double[3];
        for (int channel = 0; channel < 3; channel++) {
            // HSV to RGB, alternative form: f(5), f(3), f(1)
            double k = ((5 - 2 * channel + hue + 6 * turn) % 6 + 6) % 6;
            result[channel] = most - step * Math.max(0, Math.min(Math.min(k, 4 - k), 1));
        }
        return result;
    }

    @Property
    void jitter_ofNoStrength_isTheImage(
            @ForAll @IntRange(min = 1, max = 9) int height,
            @ForAll @IntRange(min = 1, max = 9) int width,
            @ForAll @IntRange(max = 1000) int seed) {
        int channels = new int[] {1, 3, 4}[seed % 3];
        Tensor image = TestImages.noise(DType.U8, height, width, channels, seed);

        assertThat(ColourJitter.of(0, 0, 0, 0).apply(image, TestImages.dice(seed)))
                .isEqualTo(image);
    }

    @Property
    void jitter_ofFourChannels_isThatOfThreeAndKeepsAlpha(
            @ForAll @IntRange(min = 1, max = 9) int height,
            @ForAll @IntRange(min = 1, max = 9) int width,
            @ForAll @IntRange(max = 1000) int seed) {
        Tensor four = TestImages.noise(DType.U8, height, width, 4, seed);
        byte[] colours = new byte[height * width * 3];
        for (int i = 0; i < colours.length; i++) {
            colours[i] = (byte) four.longAt(i / 3 * 4 + i % 3);
        }
        Tensor three = Tensor.ofBytes(colours, height, width, 3);

        Tensor jitteredFour = ColourJitter.of(1, 1, 1, 0.5).apply(four, TestImages.dice(seed));
        Tensor jitteredThree = ColourJitter.of(1, 1, 1, 0.5).apply(three, TestImages.dice(seed));

        for (int i = 0; i < height * width; i++) {
            assertThat(jitteredFour.longAt(4 * i + 3)).isEqualTo(four.longAt(4 * i + 3));
            for (int channel = 0; channel < 3; channel++) {
                assertThat(jitteredFour.longAt(4 * i + channel)).isEqualTo(jitteredThree.longAt(3 * i + channel));
            }
        }
    }

    @Test
    void jitter_ofGrey_hasNoSaturationAndNoHue() {
        Tensor image = TestImages.image(1, 3, 1, 0, 100, 200);

        assertThat(JITTER.apply(image, new Colour(1, 1, 0, 0.5, IN_ORDER))).isEqualTo(image);
    }

    @Test
    void draw_overManySamples_staysInRangeAndTakesEveryOrder() {
        Map<List<Adjustment>, Integer> orders = new HashMap<>();
        double brightness = 0;

        for (int i = 0; i < 24_000; i++) {
            Colour colour = ColourJitter.of(0.4, 2, 0, 0.1).draw(TestImages.dice(i));
            orders.merge(colour.order(), 1, Integer::sum);
            brightness += colour.brightness();
            assertThat(colour.brightness()).isBetween(0.6, 1.4);
            assertThat(colour.contrast()).isBetween(0.0, 3.0);
            assertThat(colour.saturation()).isEqualTo(1);
            assertThat(colour.hue()).isBetween(-0.1, 0.1);
        }

        // each of 24 orders 1000 times, with a deviation of 31
        assertThat(orders)
                .hasSize(24)
                .allSatisfy((order, count) -> assertThat(count).isBetween(870, 1130));
        assertThat(brightness / 24_000).isCloseTo(1, within(0.006));
    }

    @Test
    void strongestJitter_doesNotOverflow() {
        Tensor image = TestImages.image(1, 2, 3, 255, 0, 0, 0, 255, 255);

        Tensor most = JITTER.apply(image, new Colour(1, 1, Colour.MAX_FACTOR, 0, IN_ORDER));

        assertThat(most).isEqualTo(image);
    }

    @Test
    void arguments_outOfRange_areRefused() {
        assertThatThrownBy(() -> ColourJitter.of(-0.1, 0, 0, 0))
                .hasMessage("brightness strength must be in [0, 100], was -0.1");
        assertThatThrownBy(() -> ColourJitter.of(0, 0, 0, 0.6)).hasMessage("hue strength must be in [0, 0.5], was 0.6");
        assertThatThrownBy(() -> new Colour(1, 102, 1, 0, IN_ORDER))
                .hasMessage("contrast must be in [0, 101], was 102.0");
        assertThatThrownBy(() -> new Colour(1, 1, 1, 0, List.of(Adjustment.HUE)))
                .hasMessage("order must name each of the four adjustments once, was [HUE]");
        assertThatThrownBy(() -> JITTER.apply(TestImages.noise(DType.F32, 2, 2, 3, 0), TestImages.dice(0)))
                .hasMessage(
                        "cannot jitter f32[2, 2, 3]; it takes u8[h, w, c] of 1, 3 or 4 channels, before normalisation");
        assertThatThrownBy(() -> JITTER.apply(TestImages.counting(2, 2, 2), TestImages.dice(0)))
                .hasMessageStartingWith("cannot jitter u8[2, 2, 2]");
    }
}
