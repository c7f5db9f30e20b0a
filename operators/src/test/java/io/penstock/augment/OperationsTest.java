package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.bytedeco.opencv.global.opencv_core.CV_64F;
import static org.bytedeco.opencv.global.opencv_core.CV_8UC3;

import io.penstock.image.ImageDecoder;
import io.penstock.image.internal.Homography;
import io.penstock.image.internal.Warp;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.opencv.global.opencv_imgproc;
import org.bytedeco.opencv.opencv_core.Mat;
import org.junit.jupiter.api.Test;

/** Each operation against its published definition, written down anew in doubles: no value may differ by more than 1. */
class OperationsTest {

    private static final int H = 23;
    private static final int W = 31;

    /** Noise, and a smooth picture. */
    private static final List<Tensor> PICTURES = List.of(TestImages.noise(DType.U8, H, W, 3, 2), smooth(H, W));

    private static Tensor smooth(int height, int width) {
        byte[] pixels = new byte[height * width * 3];
        for (int i = 0; i < pixels.length; i++) {
            int x = i / 3 % width;
            int y = i / 3 / width;
            pixels[i] = (byte) (128 + 100 * Math.sin(x * 0.11 + i % 3) * Math.cos(y * 0.13));
        }
        return Tensor.ofBytes(pixels, height, width, 3);
    }

    private static Tensor apply(Tensor image, Operation operation, double magnitude) {
        return Steps.apply(image, List.of(new Step(operation, magnitude, 77)));
    }

    private interface Definition {
        double at(Tensor image, int y, int x, int channel);
    }

    private static void check(Operation operation, double magnitude, Definition definition) {
        for (Tensor image : PICTURES) {
            Tensor changed = apply(image, operation, magnitude);
            double furthest = 0;
            for (int i = 0; i < H * W * 3; i++) {
                double wanted = definition.at(image, i / 3 / W, i / 3 % W, i % 3);
                furthest = Math.max(furthest, Math.abs(changed.longAt(i) - wanted));
            }
            assertThat(furthest).as(operation + " " + magnitude).isLessThanOrEqualTo(1);
        }
    }

    private static void checkValues(Operation operation, double magnitude, DoubleUnaryOperator definition) {
        check(operation, magnitude, (image, y, x, k) -> clip(definition.applyAsDouble(TestImages.at(image, y, x, k))));
    }

    private static double clip(double value) {
        return Math.max(0, Math.min(255, value));
    }

    private static double grey(Tensor image, int y, int x) {
        return 0.299 * TestImages.at(image, y, x, 0)
                + 0.587 * TestImages.at(image, y, x, 1)
                + 0.114 * TestImages.at(image, y, x, 2);
    }

    @Test
    void values_areChangedAsPillowSays() {
        checkValues(Operation.INVERT, 0, v -> 255 - v);
        checkValues(Operation.SOLARISE, 100.5, v -> v >= 100.5 ? 255 - v : v);
        for (int bits = 1; bits <= 8; bits++) {
            double step = Math.pow(2, 8 - bits);
            checkValues(Operation.POSTERISE, bits, v -> Math.floor(v / step) * step);
        }
        checkValues(Operation.BRIGHTNESS, 0.7, v -> 1.7 * v);
        check(
                Operation.SATURATION,
                -0.8,
                (image, y, x, k) ->
                        clip(grey(image, y, x) + 0.2 * (TestImages.at(image, y, x, k) - grey(image, y, x))));
        check(Operation.GREY, 0, (image, y, x, k) -> grey(image, y, x));
        check(Operation.CONTRAST, 0.9, (image, y, x, k) -> {
            double mean = IntStream.range(0, H * W)
                    .mapToDouble(i -> grey(image, i / W, i % W))
                    .average()
                    .orElse(0);
            return clip(mean + 1.9 * (TestImages.at(image, y, x, k) - mean));
        });
        check(Operation.IDENTITY, 0, TestImages::at);
    }

    @Test
    void histograms_areChangedAsPillowSays() {
        check(Operation.AUTOCONTRAST, 0, (image, y, x, k) -> {
            double low = IntStream.range(0, H * W)
                    .mapToDouble(i -> image.longAt(3 * i + k))
                    .min()
                    .orElse(0);
            double high = IntStream.range(0, H * W)
                    .mapToDouble(i -> image.longAt(3 * i + k))
                    .max()
                    .orElse(0);
            return (TestImages.at(image, y, x, k) - low) * 255 / (high - low);
        });
        // Pillow's own: values (0, 0, 1, 1 … 127, 127) in one channel, 256 pixels; the step is (256 - 2) / 255 = 0
        byte[] pairs = new byte[256];
        byte[] rows = new byte[1024];
        for (int i = 0; i < rows.length; i++) {
            pairs[i % 256] = (byte) (i % 256 / 2);
            rows[i] = (byte) (i / 8);
        }
        assertThat(apply(Tensor.ofBytes(pairs, 16, 16, 1), Operation.EQUALISE, 0))
                .isEqualTo(Tensor.ofBytes(pairs, 16, 16, 1));
        // 1,024 pixels, eight of each of 128 values: step (1024 - 8) / 255 = 3, so value i becomes (1 + 8 i) / 3
        Tensor spread = apply(Tensor.ofBytes(rows, 32, 32, 1), Operation.EQUALISE, 0);
        for (int i = 0; i < 1024; i++) {
            assertThat(spread.longAt(i)).isEqualTo(Math.min(255, (1 + 8 * (i / 8)) / 3));
        }
    }

    @Test
    void neighbours_areMixedAsDefined() {
        for (double magnitude : new double[] {-0.9, -0.3, 0.9}) {
            check(Operation.SHARPNESS, magnitude, (image, y, x, k) -> {
                double value = TestImages.at(image, y, x, k);
                if (x == 0 || y == 0 || x == W - 1 || y == H - 1) {
                    return value;
                }
                double sum = 4 * value;
                for (int i = 0; i < 9; i++) {
                    sum += TestImages.at(image, y - 1 + i / 3, x - 1 + i % 3, k);
                }
                double smooth = Math.floor(sum / 13 + 0.5);
                return clip(smooth + (1 + magnitude) * (value - smooth));
            });
        }
        for (double deviation : new double[] {0.1, 0.8, 2, 6}) {
            int radius = (int) Math.ceil(3 * deviation);
            check(Operation.BLUR, deviation, (image, y, x, k) -> {
                double sum = 0;
                double weights = 0;
                for (int down = -radius; down <= radius; down++) {
                    for (int right = -radius; right <= radius; right++) {
                        double weight = Math.exp(-(down * down + right * right) / (2 * deviation * deviation));
                        sum += weight * TestImages.at(image, mirrored(y + down, H), mirrored(x + right, W), k);
                        weights += weight;
                    }
                }
                return sum / weights;
            });
        }
    }

    private static int mirrored(int i, int length) {
        int distance = Math.abs(i);
        return distance < length ? distance : 2 * (length - 1) - distance;
    }

    /** Pillow's transform: from the middle of each pixel back to the image, bilinear, with repeated borders. */
    private static double sampled(Tensor image, double u, double v, int k) {
        if (!(u >= 0 && u < W && v >= 0 && v < H)) {
            return 0;
        }
        double left = Math.floor(u - 0.5);
        double top = Math.floor(v - 0.5);
        double sum = 0;
        for (int i = 0; i < 4; i++) {
            double weight = (i % 2 == 0 ? 1 - (u - 0.5 - left) : u - 0.5 - left)
                    * (i / 2 == 0 ? 1 - (v - 0.5 - top) : v - 0.5 - top);
            int x = (int) Math.max(0, Math.min(W - 1, left + i % 2));
            int y = (int) Math.max(0, Math.min(H - 1, top + Math.floorDiv(i, 2)));
            sum += weight * TestImages.at(image, y, x, k);
        }
        return sum;
    }

    @Test
    void places_areMovedAsPillowSays() {
        double angle = Math.toRadians(-17);
        check(Operation.ROTATE, 17, (image, y, x, k) -> {
            double right = x + 0.5 - W / 2.0;
            double down = y + 0.5 - H / 2.0;
            return sampled(
                    image,
                    Math.cos(angle) * right + Math.sin(angle) * down + W / 2.0,
                    -Math.sin(angle) * right + Math.cos(angle) * down + H / 2.0,
                    k);
        });
        check(Operation.SHEAR_X, 0.3, (image, y, x, k) -> sampled(image, x + 0.5 + 0.3 * (y + 0.5), y + 0.5, k));
        check(Operation.SHEAR_Y, -0.2, (image, y, x, k) -> sampled(image, x + 0.5, y + 0.5 - 0.2 * (x + 0.5), k));
        check(Operation.TRANSLATE_X, 5, (image, y, x, k) -> x < 5 ? 0 : TestImages.at(image, y, x - 5, k));
        check(Operation.TRANSLATE_Y, -4, (image, y, x, k) -> y + 4 < H ? TestImages.at(image, y + 4, x, k) : 0);
        check(Operation.VERTICAL_FLIP, 0, (image, y, x, k) -> TestImages.at(image, H - 1 - y, x, k));
        check(Operation.PERSPECTIVE, 0, TestImages::at);
    }

    @Test
    void corners_ofAPerspective_goWhereTheyAreSent() {
        double[] x = {3, 29, 26, 1};
        double[] y = {2, 1, 20, 22};
        Homography forth = Homography.ofRectangle(W, H, x, y);
        double[][] corners = {{0, 0}, {W, 0}, {W, H}, {0, H}};

        for (int i = 0; i < 4; i++) {
            forth.map(corners[i]);
            assertThat(corners[i][0]).isCloseTo(x[i], org.assertj.core.data.Offset.offset(1e-9));
            forth.inverse().map(corners[i]);
            assertThat(corners[i][0]).isCloseTo(i % 3 == 0 ? 0 : W, org.assertj.core.data.Offset.offset(1e-9));
        }
    }

    @Test
    void steps_thatMove_areOneWarp() {
        Tensor image = PICTURES.get(1);
        Tensor there =
                Steps.apply(image, List.of(new Step(Operation.ROTATE, 25, 0), new Step(Operation.ROTATE, -25, 0)));

        assertThat(there).isEqualTo(image); // two warps would have lost the corners
    }

    @Test
    void warps_ofOpenCv_areWithinALevelOnASmoothPicture() {
        Tensor image = smooth(120, 160);
        Homography back = Steps.back(
                List.of(new Step(Operation.ROTATE, 20, 0), new Step(Operation.PERSPECTIVE, 0.3, 5)),
                new Image(120, 160, 3));
        byte[] own = Warp.bilinear(image.toByteArray(), 120, 160, 3, back);
        Homography forth = // OpenCV's places are the middles of pixels
                Homography.affine(1, 0, -0.5, 0, 1, -0.5)
                        .times(back.inverse())
                        .times(Homography.affine(1, 0, 0.5, 0, 1, 0.5));
        byte[] theirs = new byte[own.length];
        ImageDecoder.openCv(); // first: it lifts the limits of the library for the whole process
        try (BytePointer source = new BytePointer(image.toByteArray());
                DoublePointer numbers = new DoublePointer(
                        forth.a(), forth.b(), forth.c(), forth.d(), forth.e(), forth.f(), forth.g(), forth.h(),
                        forth.i());
                Mat from = new Mat(120, 160, CV_8UC3, source);
                Mat matrix = new Mat(3, 3, CV_64F, numbers);
                Mat to = new Mat()) {
            opencv_imgproc.warpPerspective(from, to, matrix, from.size());
            to.data().get(theirs);
        }

        int compared = 0;
        for (int y = 1; y < 119; y++) {
            for (int x = 1; x < 159; x++) {
                double[] place = {x + 0.5, y + 0.5};
                back.map(place);
                if (place[0] > 1 && place[0] < 159 && place[1] > 1 && place[1] < 119) {
                    for (int i = (y * 160 + x) * 3; i < (y * 160 + x) * 3 + 3; i++) {
                        assertThat(Math.abs((own[i] & 0xFF) - (theirs[i] & 0xFF)))
                                .isLessThanOrEqualTo(1);
                        compared++;
                    }
                }
            }
        }
        assertThat(compared).isGreaterThan(20_000);
    }
}
