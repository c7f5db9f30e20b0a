package io.penstock.augment;

import java.util.Locale;

/**
 * One way to change a picture, of a magnitude. Those that move pixels move the parts beside the picture too; the others
 * change colours. Definitions are Pillow's and torchvision's, with bilinear interpolation.
 */
public enum Operation {
    /** No change. */
    IDENTITY(0, 0, false),
    /** Turns around the middle, by degrees to the left. */
    ROTATE(0, 180, true),
    /** Moves each row by its distance from the top times the magnitude, to the left. */
    SHEAR_X(0, 2, true),
    /** Moves each column by its distance from the left times the magnitude, upwards. */
    SHEAR_Y(0, 2, true),
    /** Moves to the right, by pixels; a range up to 1 is a share of the width. */
    TRANSLATE_X(0, 65_535, true),
    /** Moves down, by pixels; a range up to 1 is a share of the height. */
    TRANSLATE_Y(0, 65_535, true),
    /** Mirrors top to bottom. */
    VERTICAL_FLIP(0, 0, false),
    /** Moves each corner towards the middle, at random by up to this share of half a side. */
    PERSPECTIVE(0, 0.6, false),
    /** Multiplies each value by 1 + the magnitude. */
    BRIGHTNESS(0, 1, true),
    /** Multiplies the distance from the mean grey by 1 + the magnitude. */
    CONTRAST(0, 1, true),
    /** Multiplies the distance from the pixel's grey by 1 + the magnitude. */
    SATURATION(0, 1, true),
    /** Multiplies the distance from the smoothed picture by 1 + the magnitude. */
    SHARPNESS(0, 1, true),
    /** Makes all channels the pixel's grey. */
    GREY(0, 0, false),
    /** Blurs by a Gaussian of this deviation in pixels. */
    BLUR(0.01, 50, false),
    /** Keeps this number of bits of each value, rounded to a whole number. */
    POSTERISE(1, 8, false),
    /** Inverts values from this on. */
    SOLARISE(0, 256, false),
    /** Stretches each channel to all values. */
    AUTOCONTRAST(0, 0, false),
    /** Makes the values of each channel equally frequent. */
    EQUALISE(0, 0, false),
    /** Inverts each value. */
    INVERT(0, 0, false);

    private final double min;
    private final double max;
    private final boolean signed;

    Operation(double min, double max, boolean signed) {
        this.min = min;
        this.max = max;
        this.signed = signed;
    }

    double min() {
        return min;
    }

    double max() {
        return max;
    }

    /** Whether both signs are as likely. */
    boolean isSigned() {
        return signed;
    }

    boolean hasMagnitude() {
        return max > 0;
    }

    boolean isGeometric() {
        return switch (this) {
            case ROTATE, SHEAR_X, SHEAR_Y, TRANSLATE_X, TRANSLATE_Y, VERTICAL_FLIP, PERSPECTIVE -> true;
            default -> false;
        };
    }

    /** Its name in {@link AugmentSpec}: {@code shear-x}. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
