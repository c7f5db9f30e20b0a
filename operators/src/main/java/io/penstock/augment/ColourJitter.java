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
 * <p>A strength s makes a factor uniform in {@code [max(0, 1 − s), 1 + s]}; a hue strength turns hues by a share of the
 * circle uniform in {@code [−s, s]}. All 24 orders are equally likely. Draws five numbers, whatever the strengths.
 *
 * <p>Shapes: {@code u8[h, w, c]} stays what it is; channels are grey, red-green-blue, or these and alpha, which is left
 * alone. Grey has no saturation and no hue. After each of the four, values are rounded to the nearest byte and clamped,
 * where torchvision cuts off; so a strength of 0 changes nothing. Grey is 0.299 red + 0.587 green + 0.114 blue.
 */
public final class ColourJitter implements ImageTransform<Colour> {

    private static final double MOST = Colour.MOST - 1;
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
        requireStrength("brightness", brightness, MOST);
        requireStrength("contrast", contrast, MOST);
        requireStrength("saturation", saturation, MOST);
        requireStrength("hue", hue, 0.5);
        return new ColourJitter(brightness, contrast, saturation, hue);
    }

    private static void requireStrength(String what, double strength, double most) {
        if (!(strength >= 0 && strength <= most)) {
            throw new IllegalArgumentException("%s strength must be in [0, %s], was %s"
                    .formatted(what, Words.number(most), Words.number(strength)));
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
                Dice.between(-hue, hue, Dice.unit(random)),
                ORDERS.get(Dice.below(random, ORDERS.size())));
    }

    private static double factor(double strength, RandomGenerator random) {
        return Dice.between(Math.max(0, 1 - strength), 1 + strength, Dice.unit(random));
    }

    @Override
    public Tensor apply(Tensor image, Colour drawn) {
        CroppedRows rows = CroppedRows.whole(image);
        return new Pass(rows).coloured(colouring(image, drawn)).run();
    }

    /** What changes the colours of this image; null where nothing does. */
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
        return "jitter=" + Words.numbers(new double[] {brightness, contrast, saturation, hue}, ":");
    }

    @Override
    public String toString() {
        return name();
    }
}
