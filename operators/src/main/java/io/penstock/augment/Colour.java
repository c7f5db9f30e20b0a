package io.penstock.augment;

import java.util.EnumSet;
import java.util.List;

/**
 * How the colours of one image are changed.
 *
 * @param brightness what every value is multiplied by, in [0, 101]; 1 changes nothing
 * @param contrast   what the distance from the image's mean grey is multiplied by, in [0, 101]; 1 changes nothing
 * @param saturation what the distance from the pixel's own grey is multiplied by, in [0, 101]; 1 changes nothing
 * @param hue        how far hues are turned, as a share of the circle, in [-0.5, 0.5]; 0 changes nothing
 * @param order      what is done first, second, third and last: each of the four once
 */
public record Colour(double brightness, double contrast, double saturation, double hue, List<Adjustment> order) {

    /** The largest factor: the fixed-point arithmetic has no room for more. */
    static final int MOST = 101;

    /** No change. */
    public static final Colour UNCHANGED = new Colour(1, 1, 1, 0, List.of(Adjustment.values()));

    /** One of the four things that are done to colours. */
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
        if (!(factor >= 0 && factor <= MOST)) {
            throw new IllegalArgumentException("%s must be in [0, %d], was %s".formatted(what, MOST, factor));
        }
    }

    boolean changesNothing() {
        return brightness == 1 && contrast == 1 && saturation == 1 && hue == 0;
    }
}
