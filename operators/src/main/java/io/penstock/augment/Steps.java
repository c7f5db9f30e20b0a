package io.penstock.augment;

import io.penstock.image.internal.ChannelTables;
import io.penstock.image.internal.Homography;
import io.penstock.image.internal.LookupTable;
import io.penstock.image.internal.Smoothing;
import io.penstock.image.internal.Warp;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Steps on a picture: one warp for all that move pixels, then the others in their order. */
final class Steps {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Steps() {}

    /** The warp from the result back to the picture. */
    static Homography back(List<Step> steps, Image size) {
        return steps.stream().map(step -> back(step, size)).reduce(Homography.IDENTITY, Homography::times);
    }

    private static Homography back(Step step, Image size) {
        double m = step.magnitude();
        return switch (step.operation()) {
            case ROTATE -> {
                double sine = StrictMath.sin(StrictMath.toRadians(m));
                double cosine = StrictMath.cos(StrictMath.toRadians(m));
                double x = size.width() / 2.0;
                double y = size.height() / 2.0;
                yield Homography.affine(
                        cosine, -sine, x - cosine * x + sine * y, sine, cosine, y - sine * x - cosine * y);
            }
            case SHEAR_X -> Homography.affine(1, m, 0, 0, 1, 0);
            case SHEAR_Y -> Homography.affine(1, 0, 0, m, 1, 0);
            case TRANSLATE_X -> Homography.affine(1, 0, -m, 0, 1, 0);
            case TRANSLATE_Y -> Homography.affine(1, 0, 0, 0, 1, -m);
            case VERTICAL_FLIP -> Homography.affine(1, 0, 0, 0, -1, size.height());
            case PERSPECTIVE -> perspective(size, m, step.noise()).inverse();
            default -> Homography.IDENTITY; // colours move nothing
        };
    }

    private static Homography perspective(Image size, double share, long noise) {
        double[] x = {0, size.width(), size.width(), 0};
        double[] y = {0, 0, size.height(), size.height()};
        for (int i = 0; i < 4; i++) {
            x[i] += (x[i] > 0 ? -1 : 1) * share * size.width() / 2 * unit(noise + 2L * i * GOLDEN);
            y[i] += (y[i] > 0 ? -1 : 1) * share * size.height() / 2 * unit(noise + (2L * i + 1) * GOLDEN);
        }
        return Homography.ofRectangle(size.width(), size.height(), x, y);
    }

    /** A number of [0, 1) of a state of SplitMix64. */
    private static double unit(long state) {
        return (RandomErasing.Eraser.mix(state) >>> 11) * 0x1p-53;
    }

    /** @throws IllegalArgumentException if it is not a picture of bytes of 1, 3 or 4 channels */
    static Tensor apply(Tensor image, List<Step> steps) {
        ColourJitter.requireBytes("change", image);
        Image size = Image.of(image.shape());
        Homography back = back(steps, size);
        byte[] pixels = image.toByteArray();
        if (!back.equals(Homography.IDENTITY)) {
            pixels = Warp.bilinear(pixels, size.height(), size.width(), size.channels(), back);
        }
        for (Step step : steps) {
            pixels = changed(step, pixels, image, size);
        }
        return Tensor.ofBytes(pixels, image.shape().toArray());
    }

    private static byte[] changed(Step step, byte[] pixels, Tensor image, Image size) {
        double m = step.magnitude();
        int channels = size.channels();
        switch (step.operation()) {
            case BRIGHTNESS -> coloured(1 + m, 1, 1, pixels, image);
            case CONTRAST -> coloured(1, 1 + m, 1, pixels, image);
            case SATURATION -> coloured(1, 1, 1 + m, pixels, image);
            case GREY -> coloured(1, 1, 0, pixels, image);
            case POSTERISE -> replaced(value -> value & 0xFF << (8 - (int) m), pixels, channels);
            case SOLARISE -> replaced(value -> value < m ? value : 255 - value, pixels, channels);
            case INVERT -> replaced(value -> 255 - value, pixels, channels);
            case AUTOCONTRAST -> ChannelTables.autocontrast(pixels, channels);
            case EQUALISE -> ChannelTables.equalise(pixels, channels);
            case SHARPNESS -> {
                return Smoothing.sharpness(pixels, size.height(), size.width(), channels, 1 + m);
            }
            case BLUR -> {
                return Smoothing.blur(pixels, size.height(), size.width(), channels, m);
            }
            default -> {} // geometry is in the warp
        }
        return pixels;
    }

    private static void replaced(IntUnaryOperator value, byte[] pixels, int channels) {
        LookupTable.of(channels, value).apply(pixels, 0, pixels.length);
    }

    private static void coloured(double brightness, double contrast, double saturation, byte[] pixels, Tensor image) {
        Colour colour = new Colour(brightness, contrast, saturation, 0, Colour.UNCHANGED.order());
        ColourJitter.Colouring colouring = ColourJitter.colouring(image, colour);
        if (colouring != null) {
            colouring.before(pixels, 0, pixels.length);
            colouring.after(pixels, 0, pixels.length);
        }
    }
}
