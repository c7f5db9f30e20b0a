package io.penstock.augment;

import io.penstock.image.internal.HueTurn;
import io.penstock.image.internal.LookupTable;
import io.penstock.image.internal.RowKernel;
import io.penstock.image.internal.Saturation;
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
        requireBytes("jitter", image);
        return drawn.changesNothing()
                ? null
                : new Colouring(drawn, (int) image.shape().dim(2));
    }

    static void requireBytes(String verb, Tensor image) {
        long channels = image.shape().dim(2);
        if (image.dtype() != DType.U8 || (channels != 1 && channels != 3 && channels != 4)) {
            throw new IllegalArgumentException(
                    "cannot %s %s; it takes u8[h, w, c] of 1, 3 or 4 channels, before normalisation"
                            .formatted(verb, image.type()));
        }
    }

    @Override
    public String name() {
        return "jitter=" + AugmentWord.text(new double[] {brightness, contrast, saturation, hue}, ":");
    }

    @Override
    public String toString() {
        return name();
    }

    /**
     * Changes the colours of one image, row by row. Contrast needs the mean grey of the image after the adjustments
     * that precede it: these run over all rows first and sum up their channels. For one thread and one pass.
     */
    static final class Colouring {

        private final int channels;
        private final double contrast;
        private final List<RowKernel> before = new ArrayList<>(4);
        private final List<RowKernel> after = new ArrayList<>(4);
        private boolean meanKnown;
        private long red; // or grey
        private long green;
        private long blue;
        private long pixels;

        Colouring(Colour colour, int channels) {
            this.channels = channels;
            this.contrast = colour.contrast();
            List<RowKernel> kernels = before;
            for (Colour.Adjustment adjustment : colour.order()) {
                switch (adjustment) {
                    case BRIGHTNESS -> {
                        if (colour.brightness() != 1) {
                            append(kernels, LookupTable.away(0, colour.brightness(), channels));
                        }
                    }
                    case CONTRAST -> kernels = needsMean() ? after : before;
                    case SATURATION -> {
                        if (colour.saturation() != 1 && channels > 1) {
                            append(kernels, Saturation.of(colour.saturation(), channels));
                        }
                    }
                    case HUE -> {
                        if (colour.hue() != 0 && channels > 1) {
                            kernels.add(HueTurn.of(colour.hue(), channels));
                        }
                    }
                }
            }
        }

        /** Whether {@link #before} must see all rows before the first {@link #after}. */
        boolean needsMean() {
            return contrast != 1;
        }

        void before(byte[] row, int from, int to) {
            apply(before, row, from, to);
            if (needsMean()) {
                count(row, from, to);
            }
        }

        void after(byte[] row, int from, int to) {
            if (needsMean() && !meanKnown) {
                meanKnown = true;
                List<RowKernel> later = List.copyOf(after);
                after.clear();
                after.add(LookupTable.away(meanGrey(), contrast, channels));
                later.forEach(kernel -> append(after, kernel));
            }
            apply(after, row, from, to);
        }

        private static void apply(List<RowKernel> kernels, byte[] row, int from, int to) {
            // by index: an iterator for each row would dominate the allocations beside the pixels
            for (int i = 0; i < kernels.size(); i++) {
                kernels.get(i).apply(row, from, to);
            }
        }

        private static void append(List<RowKernel> kernels, RowKernel next) {
            int last = kernels.size() - 1;
            RowKernel both = last < 0 ? null : together(kernels.get(last), next);
            if (both != null) {
                kernels.remove(last);
            }
            kernels.add(both == null ? next : both);
        }

        /** Two kernels as one; null where there is none. */
        private static @Nullable RowKernel together(RowKernel first, RowKernel next) {
            if (first instanceof LookupTable table) {
                return next instanceof LookupTable other
                        ? table.then(other)
                        : next instanceof Saturation saturation ? saturation.behind(table) : null;
            }
            return first instanceof Saturation saturation && next instanceof LookupTable table
                    ? saturation.then(table)
                    : null;
        }

        private void count(byte[] row, int from, int to) {
            pixels += (to - from) / channels;
            long r = 0;
            long g = 0;
            long b = 0;
            if (channels == 1) {
                for (int i = from; i < to; i++) {
                    r += row[i] & 0xFF;
                }
            } else {
                for (int i = from; i < to; i += channels) {
                    r += row[i] & 0xFF;
                    g += row[i + 1] & 0xFF;
                    b += row[i + 2] & 0xFF;
                }
            }
            red += r;
            green += g;
            blue += b;
        }

        /** Grey is linear in the channels, so its mean is the grey of their means. */
        private double meanGrey() {
            double sum = channels == 1 ? red : 0.299 * red + 0.587 * green + 0.114 * blue;
            return sum / pixels;
        }
    }
}
