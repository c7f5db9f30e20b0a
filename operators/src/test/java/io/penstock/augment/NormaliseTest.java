package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class NormaliseTest {

    @Test
    void normalise_byHalves_mapsBytesToMinusOneToOne() {
        Tensor image = TestImages.image(1, 2, 1, 0, 255);

        Tensor normal = Normalise.of(new double[] {0.5}, new double[] {0.5}).apply(image);

        assertThat(normal).isEqualTo(Tensor.ofFloats(new float[] {-1, 1}, 1, 2, 1));
    }

    @Property
    void normalise_ofAnyImage_isTheFormula(
            @ForAll @IntRange(min = 1, max = 9) int height,
            @ForAll @IntRange(min = 1, max = 9) int width,
            @ForAll @IntRange(min = 1, max = 4) int channels,
            @ForAll boolean oneForAll,
            @ForAll @IntRange(max = 1000) int seed) {
        Tensor image = TestImages.noise(DType.U8, height, width, channels, seed);
        double[] mean = new double[oneForAll ? 1 : channels];
        double[] deviation = new double[mean.length];
        for (int i = 0; i < mean.length; i++) {
            mean[i] = 0.4 + 0.03 * i;
            deviation[i] = 0.2 + 0.01 * i;
        }

        Tensor normal = Normalise.of(mean, deviation).apply(image);

        assertThat(normal.dtype()).isEqualTo(DType.F32);
        assertThat(normal.shape()).isEqualTo(image.shape());
        for (int i = 0; i < height * width * channels; i++) {
            int channel = oneForAll ? 0 : i % channels;
            float expected = (float) ((image.longAt(i) / 255.0 - mean[channel]) / deviation[channel]);
            assertThat(normal.doubleAt(i)).isEqualTo(expected);
        }
    }

    @Property
    void channelsFirst_behindAnyAugmentation_isTheSameInPlanes(
            @ForAll @IntRange(min = 1, max = 9) int height,
            @ForAll @IntRange(min = 1, max = 9) int width,
            @ForAll boolean contrast,
            @ForAll @IntRange(max = 1000) int seed) {
        Tensor image = TestImages.noise(DType.U8, height, width, 3, seed);
        Augment augment = Augment.crop(RandomCrop.of(height, width).padding(1))
                .flip()
                .erase(0.5)
                .jitter(0.3, contrast ? 0.4 : 0, 0.2, 0);

        Tensor last = augment.normalise(Normalise.imageNet()).apply(image, TestImages.dice(seed));
        Tensor first = augment.normalise(Normalise.imageNet().channelsFirst()).apply(image, TestImages.dice(seed));

        assertThat(first.shape()).isEqualTo(Shape.of(3, height, width));
        for (int i = 0; i < height * width * 3; i++) {
            assertThat(first.doubleAt(i % 3 * height * width + i / 3)).isEqualTo(last.doubleAt(i));
        }
    }

    @Test
    void normalise_inAChain_isAFunctionAndATransform() {
        Tensor image = TestImages.counting(4, 4, 3);

        Tensor chained = RandomCrop.of(4, 4).then(Normalise.imageNet()).apply(image, TestImages.dice(0));

        assertThat(chained).isEqualTo(Normalise.imageNet().apply(image));
        assertThat((float) chained.doubleAt(0)).isEqualTo((float) (-0.485 / 0.229));
    }

    @Test
    void arguments_outOfRange_areRefused() {
        double[] three = {0.5, 0.5, 0.5};

        assertThatThrownBy(() -> Normalise.of(three, new double[] {1}))
                .hasMessage("normalisation needs a mean and a deviation for each channel, has 3 and 1");
        assertThatThrownBy(() -> Normalise.of(new double[] {0}, new double[] {0}))
                .hasMessage("channel 0 needs a finite mean and a deviation above 0, has 0.0 and 0.0");
        assertThatThrownBy(() -> Normalise.of(three, three).apply(TestImages.counting(2, 2, 4)))
                .hasMessage("cannot normalise u8[2, 2, 4]; there are 3 means, one for each channel");
        assertThatThrownBy(() -> Normalise.of(three, three).apply(TestImages.noise(DType.F32, 2, 2, 3, 0)))
                .hasMessage("cannot normalise f32[2, 2, 3]; it takes u8, so do it once and last");
    }
}
