package io.penstock.augment;

import java.util.EnumSet;
import java.util.List;

/**
 * The changes of the colours of one image.
 *
 * @param brightness the factor of each value, in [0, 101]; 1 changes nothing
 * @param contrast   the factor of the distance from the image's mean grey, in [0, 101]; 1 changes nothing
 * @param saturation the factor of the distance from the pixel's own grey, in [0, 101]; 1 changes nothing
 * @param hue        the angle by which hues turn, as a share of the circle, in [-0.5, 0.5]; 0 changes nothing
 * @param order      the order of the four adjustments, each once
 */
public record Colour(double brightness, double contrast, double saturation, double hue, List<Adjustment> order) {

    /** The largest factor that fits the fixed-point arithmetic. */
    static final int MAX_FACTOR = 101;

    /** No change. */
    public static final Colour UNCHANGED = new Colour(1, 1, 1, 0, List.of(Adjustment.values()));

    /** One of the four changes of colours. */
    public enum Adjustment {
        BRIGHTNESS,
        CONTRAST,
        SATURATION,
        HUE
    }

    public Colour {
        requireFactor("brightness", brightness);
        requireFactor("contrast", contrast);
        requireFactor("saturation", saturation);
        if (!(hue >= -0.5 && hue <= 0.5)) {
            throw new IllegalArgumentException("hue must be in [-0.5, 0.5], was " + hue);
        }
        order = List.copyOf(order);
        if (order.size() != 4 || EnumSet.copyOf(order).size() != 4) {
            throw new IllegalArgumentException("order must name each of the four adjustments once, was " + order);
        }
    }

    private static void requireFactor(String what, double factor) {
        if (!(factor >= 0 && factor <= MAX_FACTOR)) {
            throw new IllegalArgumentException("%s must be in [0, %d], was %s".formatted(what, MAX_FACTOR, factor));
        }
    }

    boolean changesNothing() {
        return brightness == 1 && contrast == 1 && saturation == 1 && hue == 0;
    }
}
