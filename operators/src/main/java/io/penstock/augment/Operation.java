package io.penstock.augment;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One way to change a picture, of a magnitude. Those that move pixels move the parts beside the picture too; the others
 * change colours. Definitions are Pillow's and torchvision's, with bilinear interpolation.
 */
public enum Operation {
    /** No change. */
    IDENTITY(false),
    /** Turns around the middle, by degrees to the left. */
    ROTATE(true, 0, 180, 0, 30, 0, 135),
    /** Moves each row by its distance from the top times the magnitude, to the left. */
    SHEAR_X(true, 0, 2, 0, 0.3, 0, 0.99),
    /** Moves each column by its distance from the left times the magnitude, upwards. */
    SHEAR_Y(true, 0, 2, 0, 0.3, 0, 0.99),
    /** Moves to the right, by pixels; a range up to 1 is a share of the width. */
    TRANSLATE_X(true, 0, 65_535, 0, 150.0 / 331, 0, 32),
    /** Moves down, by pixels; a range up to 1 is a share of the height. */
    TRANSLATE_Y(true, 0, 65_535, 0, 150.0 / 331, 0, 32),
    /** Mirrors top to bottom. */
    VERTICAL_FLIP(false),
    /** Moves each corner towards the middle, at random by up to this share of half a side. */
    PERSPECTIVE(false, 0, 0.6),
    /** Multiplies each value by 1 + the magnitude. */
    BRIGHTNESS(true, 0, 1, 0, 0.9, 0, 0.99),
    /** Multiplies the distance from the mean grey by 1 + the magnitude. */
    CONTRAST(true, 0, 1, 0, 0.9, 0, 0.99),
    /** Multiplies the distance from the pixel's grey by 1 + the magnitude. */
    SATURATION(true, 0, 1, 0, 0.9, 0, 0.99),
    /** Multiplies the distance from the smoothed picture by 1 + the magnitude. */
    SHARPNESS(true, 0, 1, 0, 0.9, 0, 0.99),
    /** Makes all channels the pixel's grey. */
    GREY(false),
    /** Blurs by a Gaussian of this deviation in pixels. */
    BLUR(false, 0.01, 50),
    /** Keeps this number of bits of each value, rounded to a whole number. */
    POSTERISE(false, 1, 8, 8, 4, 2, 8),
    /** Inverts values from this on. */
    SOLARISE(false, 0, 256, 255, 0, 0, 255),
    /** Stretches each channel to all values. */
    AUTOCONTRAST(false),
    /** Makes the values of each channel equally frequent. */
    EQUALISE(false),
    /** Inverts each value. */
    INVERT(false);

    /** Both signs are as likely. */
    final boolean signed;

    @SuppressWarnings("ImmutableEnumChecker") // it is never written
    private final double[] ranges;

    /**
     * @param ranges of magnitudes, from and to: all there are; what RandAugment and AutoAugment take of them, from the
     *     mildest to the strongest; what TrivialAugment takes of them; 0 where they end
     */
    Operation(boolean signed, double... ranges) {
        this.signed = signed;
        this.ranges = Arrays.copyOf(ranges, 6);
    }

    /** @throws IllegalArgumentException unless there are magnitudes from low to high */
    void requireMagnitudes(double low, double high) {
        if (!(low >= ranges[0] && low <= high && high <= ranges[1])) {
            throw new IllegalArgumentException("%s must be a range in %s, was %s"
                    .formatted(word(), AugmentWord.text(ranges[0], ranges[1]), AugmentWord.text(low, high)));
        }
    }

    static Operation of(String word) {
        return Stream.of(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown operation \"%s\"; known are %s".formatted(word, String.join(", ", words()))));
    }

    static List<String> words() {
        return Stream.of(values()).map(Operation::word).toList();
    }

    /** This, of the magnitude at a share of what RandAugment and AutoAugment take. */
    Change usual(double share) {
        double magnitude = ranges[2] + (ranges[3] - ranges[2]) * share;
        return Change.of(this, magnitude, magnitude);
    }

    /** This, of one of the magnitudes of TrivialAugment. */
    Change wide(int bins) {
        return new Change(this, 1, ranges[4], ranges[5], hasMagnitude() ? bins : 0);
    }

    boolean hasMagnitude() {
        return ranges[1] > 0;
    }

    /** Its name in {@link AugmentSpec}: {@code shear-x}. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
