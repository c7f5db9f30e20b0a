package io.penstock.augment;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Changes brightness, contrast, saturation and hue by random amounts, in random order, as torchvision's
 * {@code ColorJitter}.
 *
 * <p>A strength s makes a factor uniform in {@code [max(0, 1 − s), 1 + s]}. A hue strength turns hues by a share of the
 * circle uniform in {@code [−s, s]}. All 24 orders are equally likely. Always draws five numbers.
 *
 * <p>Shapes: {@code u8[h, w, c]} is kept. Channels are grey, red-green-blue, or these and alpha, which does not change.
 * Grey has no saturation and no hue. After each of the four, values are rounded to the nearest byte and clamped, so a
 * strength of 0 changes nothing; torchvision truncates. Grey is 0.299 red + 0.587 green + 0.114 blue.
 */
public final class ColourJitter implements ImageTransform<Colour> {

    private static final double MAX_STRENGTH = Colour.MAX_FACTOR - 1;
    private static final List<List<Colour.Adjustment>> ORDERS = orders();

    private final double brightness;
    private final double contrast;
    private final double saturation;
    private final double hue;

    private ColourJitter(double brightness, double contrast, double saturation, double hue) {
        this.brightness = brightness;
        this.contrast = contrast;
        this.saturation = saturation;
        this.hue = hue;
    }

    /**
     * A jitter of these strengths; 0 is none.
     * @throws IllegalArgumentException unless the first three are in [0, 100] and the hue's is in [0, 0.5]
     */
    public static ColourJitter of(double brightness, double contrast, double saturation, double hue) {
        requireStrength("brightness", brightness, MAX_STRENGTH);
        requireStrength("contrast", contrast, MAX_STRENGTH);
        requireStrength("saturation", saturation, MAX_STRENGTH);
        requireStrength("hue", hue, 0.5);
        return new ColourJitter(brightness, contrast, saturation, hue);
    }

    private static void requireStrength(String what, double strength, double max) {
        if (!(strength >= 0 && strength <= max)) {
            throw new IllegalArgumentException("%s strength must be in [0, %s], was %s"
                    .formatted(what, AugmentWord.text(max), AugmentWord.text(strength)));
        }
    }

    private static List<List<Colour.Adjustment>> orders() {
        List<List<Colour.Adjustment>> orders = new ArrayList<>();
        orders.add(List.of());
        for (Colour.Adjustment adjustment : Colour.Adjustment.values()) {
            List<List<Colour.Adjustment>> longer = new ArrayList<>();
            for (List<Colour.Adjustment> order : orders) {
                for (int place = 0; place <= order.size(); place++) {
                    List<Colour.Adjustment> with = new ArrayList<>(order);
                    with.add(place, adjustment);
                    longer.add(List.copyOf(with));
                }
            }
            orders = longer;
        }
        return List.copyOf(orders);
    }

    @Override
    public Colour draw(Shape shape, RandomGenerator random) {
        return draw(random);
    }

    Colour draw(RandomGenerator random) {
        return new Colour(
                factor(brightness, random),
                factor(contrast, random),
                factor(saturation, random),
                RandomNumbers.between(-hue, hue, RandomNumbers.unit(random)),
                ORDERS.get(RandomNumbers.below(random, ORDERS.size())));
    }

    private static double factor(double strength, RandomGenerator random) {
        return RandomNumbers.between(Math.max(0, 1 - strength), 1 + strength, RandomNumbers.unit(random));
    }

    @Override
    public Tensor apply(Tensor image, Colour drawn) {
        CroppedRows rows = CroppedRows.whole(image);
        return new Pass(rows).coloured(colouring(image, drawn)).run();
    }

    /** The colouring of this image; null if nothing changes. */
    static @Nullable Colouring colouring(Tensor image, Colour drawn) {
        long channels = image.shape().dim(2);
        if (image.dtype() != DType.U8 || (channels != 1 && channels != 3 && channels != 4)) {
            throw new IllegalArgumentException(
                    "cannot jitter %s; it takes u8[h, w, c] of 1, 3 or 4 channels, before normalisation"
                            .formatted(image));
        }
        return drawn.changesNothing() ? null : new Colouring(drawn, (int) channels);
    }

    @Override
    public String name() {
        return "jitter=" + AugmentWord.text(new double[] {brightness, contrast, saturation, hue}, ":");
    }

    @Override
    public String toString() {
        return name();
    }
}
