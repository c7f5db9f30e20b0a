package io.penstock.augment;

import io.penstock.image.internal.HueTurn;
import io.penstock.image.internal.LookupTable;
import io.penstock.image.internal.RowKernel;
import io.penstock.image.internal.Saturation;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes the colours of one image, row by row. Contrast needs the mean grey of the image after the adjustments that
 * precede it: these run over all rows first and sum up their channels. For one thread and one pass.
 */
final class Colouring {

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
                        kernels.add(LookupTable.away(0, colour.brightness(), channels));
                    }
                }
                case CONTRAST -> kernels = needsMean() ? after : before;
                case SATURATION -> {
                    if (colour.saturation() != 1 && channels > 1) {
                        kernels.add(Saturation.of(colour.saturation(), channels));
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
            contrast(LookupTable.away(meanGrey(), contrast, channels));
        }
        apply(after, row, from, to);
    }

    private static void apply(List<RowKernel> kernels, byte[] row, int from, int to) {
        // by index: an iterator for each row would dominate the allocations beside the pixels
        for (int i = 0; i < kernels.size(); i++) {
            kernels.get(i).apply(row, from, to);
        }
    }

    private void contrast(LookupTable lookup) {
        if (!after.isEmpty() && after.get(0) instanceof LookupTable next) {
            after.set(0, lookup.then(next));
        } else {
            after.add(0, lookup);
        }
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
