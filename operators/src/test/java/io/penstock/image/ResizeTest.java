package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ResizeTest {

    @Property(tries = 300)
    void values_ofAnySizes_areWithinOneOfTheExactFilter(
            @ForAll @IntRange(min = 1, max = 70) int fromHeight,
            @ForAll @IntRange(min = 1, max = 70) int fromWidth,
            @ForAll @IntRange(min = 1, max = 70) int height,
            @ForAll @IntRange(min = 1, max = 70) int width,
            @ForAll @IntRange(min = 1, max = 4) int channels,
            @ForAll long seed) {
        Tensor picture = TestPhotos.noise(fromHeight, fromWidth, channels, seed);

        Tensor resized = Resize.exact(height, width).apply(picture);

        assertThat(resized.shape()).isEqualTo(Shape.of(height, width, channels));
        double[] exact = exactly(picture, height, width);
        for (int i = 0; i < exact.length; i++) {
            assertThat(Math.abs(resized.longAt(i) - exact[i])).as("place %d", i).isLessThan(1.01);
        }
    }

    @Example
    void values_ofALargePictureMadeSmall_areWithinOneOfTheExactFilter() {
        Tensor picture = TestPhotos.noise(1500, 1111, 3, 7);

        Tensor resized = Resize.exact(24, 31).apply(picture);

        double[] exact = exactly(picture, 24, 31);
        for (int i = 0; i < exact.length; i++) {
            assertThat(Math.abs(resized.longAt(i) - exact[i])).isLessThan(1.01);
        }
    }

    @Property(tries = 200)
    void values_ofOneColour_stayAsTheyAre(
            @ForAll @IntRange(min = 1, max = 300) int from,
            @ForAll @IntRange(min = 1, max = 300) int to,
            @ForAll byte level) {
        byte[] pixels = new byte[from * 5 * 3];
        Arrays.fill(pixels, level);

        Tensor tall = Resize.exact(to, 4).apply(Tensor.ofBytes(pixels, from, 5, 3));
        Tensor wide = Resize.exact(4, to).apply(Tensor.ofBytes(pixels, 5, from, 3));

        assertThat(tall.toByteArray()).containsOnly(level);
        assertThat(wide.toByteArray()).containsOnly(level);
    }

    @Property(tries = 100)
    void values_ofANarrowRange_stayInIt(
            @ForAll @IntRange(max = 250) int least,
            @ForAll @IntRange(min = 1, max = 60) int height,
            @ForAll @IntRange(min = 1, max = 60) int width) {
        byte[] pixels = TestPhotos.noise(37, 41, 3, height).toByteArray();
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (least + (pixels[i] & 0xFF) % 6);
        }

        Tensor resized = Resize.exact(height, width).apply(Tensor.ofBytes(pixels, 37, 41, 3));

        for (int i = 0; i < resized.byteSize(); i++) {
            assertThat(resized.longAt(i)).isBetween((long) least, least + 5L);
        }
    }

    @Example
    void picture_ofTheWantedSize_isTheSame() {
        Tensor picture = TestPhotos.noise(20, 30, 3, 1);

        assertThat(Resize.exact(20, 30).apply(picture)).isSameAs(picture);
        assertThat(Resize.shorterSide(20).apply(picture)).isSameAs(picture);
    }

    /** What is kept between two pictures is no part of a result. Some are larger than what is kept. */
    @Example
    void picture_resizedAfterwards_leavesEarlierResultsAsTheyWere() {
        List<Tensor> resized = new ArrayList<>();
        List<Tensor> apart = new ArrayList<>();
        for (int side : new int[] {40, 700, 9, 620, 200}) {
            Tensor picture = TestPhotos.noise(side, 2 * side, 3, side);
            resized.add(Resize.exact(side - 1, side - 2).apply(picture));
            apart.add(Tensor.ofBytes(resized.get(resized.size() - 1).toByteArray(), side - 1, side - 2, 3));
        }

        assertThat(resized).isEqualTo(apart);
    }

    @Example
    void picture_offTheHeap_isResizedAlike() {
        Tensor picture = TestPhotos.noise(61, 43, 3, 1);
        ByteBuffer direct = ByteBuffer.allocateDirect(picture.byteSize());
        picture.copyTo(direct, 0);
        Tensor copy = Tensor.of(DType.U8, picture.shape(), direct);

        assertThat(Resize.exact(20, 30).apply(copy))
                .isEqualTo(Resize.exact(20, 30).apply(picture));
    }

    @Example
    void picture_ofACopyInItsMiddle_isResizedAlike() {
        Tensor batch = TestPhotos.noise(2 * 61, 43, 3, 1);
        Tensor second = batch.reshape(Shape.of(2, 61, 43, 3)).row(1);
        Tensor alone = Tensor.ofBytes(second.toByteArray(), 61, 43, 3);

        assertThat(Resize.exact(20, 30).apply(second))
                .isEqualTo(Resize.exact(20, 30).apply(alone));
    }

    @Example
    void shorterSide_ofAnyPicture_keepsTheAspectRatio() {
        Resize resize = Resize.shorterSide(256);

        assertThat(resize.apply(TestPhotos.noise(375, 500, 1, 1)).shape()).isEqualTo(Shape.of(256, 341, 1));
        assertThat(resize.apply(TestPhotos.noise(500, 375, 1, 1)).shape()).isEqualTo(Shape.of(341, 256, 1));
        assertThat(resize.apply(TestPhotos.noise(100, 100, 1, 1)).shape()).isEqualTo(Shape.of(256, 256, 1));
    }

    @Example
    void shorterSide_ofAThread_isRefused() {
        Tensor thread = TestPhotos.noise(1, 1000, 3, 1);

        assertThatThrownBy(() -> Resize.shorterSide(100).apply(thread))
                .isInstanceOf(FormatException.class)
                .hasMessage("cannot resize the shorter side of 1 x 1000 pixels to 100: the longer would be 100000");
    }

    @Example
    void size_outOfRange_isRefused() {
        assertThatThrownBy(() -> Resize.exact(0, 5)).hasMessage("height must be in [1, 65535], was 0");
        assertThatThrownBy(() -> Resize.exact(5, 65536)).hasMessage("width must be in [1, 65535], was 65536");
        assertThatThrownBy(() -> Resize.shorterSide(-1)).hasMessage("shorter side must be in [1, 65535], was -1");
    }

    @Example
    void tensor_thatIsNoPicture_isRefused() {
        assertThatThrownBy(() -> Resize.exact(5, 5).apply(Tensor.ofFloats(new float[12], 2, 2, 3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cannot resize f32[2, 2, 3]; it takes u8[h, w, c]");
        assertThatThrownBy(() -> Resize.exact(5, 5).apply(Tensor.ofBytes(new byte[0], 0, 2, 3)))
                .hasMessage("cannot resize u8[0, 2, 3]: it has no pixels");
    }

    @Example
    void name_ofAnyResize_tellsTheSize() {
        assertThat(Resize.exact(224, 200)).hasToString("resize 224 x 200");
        assertThat(Resize.shorterSide(256)).hasToString("resize shorter side 256");
    }

    /** The filter as it is defined, in two dimensions and double precision. */
    private static double[] exactly(Tensor picture, int height, int width) {
        int channels = (int) picture.shape().dim(2);
        double[][] down = triangle((int) picture.shape().dim(0), height);
        double[][] across = triangle((int) picture.shape().dim(1), width);
        byte[] pixels = picture.toByteArray();
        double[] resized = new double[height * width * channels];
        for (int i = 0; i < resized.length; i++) {
            double[] rows = down[i / channels / width];
            double[] columns = across[i / channels % width];
            for (int y = 0; y < rows.length; y++) {
                for (int x = 0; rows[y] != 0 && x < columns.length; x++) {
                    int value = pixels[(y * columns.length + x) * channels + i % channels] & 0xFF;
                    resized[i] += rows[y] * columns[x] * value;
                }
            }
        }
        return resized;
    }

    private static double[][] triangle(int inputs, int outputs) {
        double scale = (double) inputs / outputs;
        double radius = Math.max(1, scale);
        double[][] weights = new double[outputs][inputs];
        for (int out = 0; out < outputs; out++) {
            double sum = 0;
            for (int in = 0; in < inputs; in++) {
                double distance = Math.abs(in + 0.5 - (out + 0.5) * scale);
                weights[out][in] = Math.max(0, 1 - distance / radius);
                sum += weights[out][in];
            }
            for (int in = 0; in < inputs; in++) {
                weights[out][in] /= sum;
            }
        }
        return weights;
    }
}
