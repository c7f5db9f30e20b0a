package io.penstock.image;

import io.penstock.fault.FormatException;
import io.penstock.image.internal.Nearest;
import io.penstock.image.internal.PixelRows;
import io.penstock.image.internal.Resampling;
import io.penstock.internal.Arguments;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.Dense;
import io.penstock.vision.KeyPoints;
import io.penstock.vision.Mask;
import io.penstock.vision.Part;
import io.penstock.vision.Pixels;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Resizes {@code u8[h, w, c]} with an antialiased bilinear filter: the triangle filter of Pillow's {@code BILINEAR} and
 * of torchvision with {@code antialias=True}, widened by the ratio when shrinking and plain bilinear when growing.
 *
 * <p>Two passes over integers, rows first, with values of 8 bits between them and weights of 16 bits. A value differs
 * by at most 1 from the exact filter, an image of one colour keeps it, and no value leaves the range of the input. The
 * same on every machine. Any number of channels; three are fast.
 *
 * <p>Threads: immutable and thread-safe. {@link #toString} names the size, for use in a stage's name. Memory: at
 * most 2 MiB are kept for each processor.
 *
 * @see <a href="https://pillow.readthedocs.io/en/stable/handbook/concepts.html#filters">Pillow: filters</a>
 */
public final class Resize implements UnaryOperator<Tensor> {

    private final int height; // or the shorter side, if width is 0
    private final int width;

    private Resize(int height, int width) {
        this.height = height;
        this.width = width;
    }

    /**
     * To exactly this size; the aspect ratio may change.
     * @throws IllegalArgumentException if a side is less than 1 or greater than 65,535
     */
    public static Resize exact(int height, int width) {
        return new Resize(side("height", height), side("width", width));
    }

    /**
     * To a shorter side of this length; the longer side keeps the aspect ratio, rounded down as in torchvision.
     * @throws IllegalArgumentException if the length is less than 1 or greater than 65,535
     */
    public static Resize shorterSide(int length) {
        return new Resize(side("shorter side", length), 0);
    }

    private static int side(String name, int length) {
        Arguments.refuse(length < 1 || length > 0xFFFF, "%s must be in [1, 65535], was %s", name, length);
        return length;
    }

    /**
     * Resizes one image.
     * @throws IllegalArgumentException if it is not {@code u8[h, w, c]}, or has no pixels
     */
    @Override
    public Tensor apply(Tensor image) {
        PixelRows rows = PixelRows.ofBytes(image, "resize");
        Size target = target(rows.height(), rows.width());
        if (target.height() == rows.height() && target.width() == rows.width()) {
            return image;
        }
        return Resampling.bytes(rows, rows.height(), rows.width(), target.height(), target.width());
    }

    /** Resizes a mask: each cell is the nearest one, never a mixture, so there is no class that was not there. */
    public Mask apply(Mask mask) {
        Tensor cells = mask.tensor();
        Size target = target((int) cells.shape().dim(0), (int) cells.shape().dim(1));
        return new Mask(Nearest.resized(cells, target.height(), target.width()));
    }

    /**
     * Resizes all parts of a sample, in the same order: pictures with the filter, masks and dense values by the nearest
     * cell; boxes and key points move.
     * @throws IllegalArgumentException if there is no picture, or it is not {@code u8[h, w, c]}
     */
    public List<Part> apply(List<Part> parts) {
        Tensor picture = parts.stream()
                .filter(Pixels.class::isInstance)
                .map(part -> ((Pixels) part).tensor())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no picture among the parts to resize"));
        int fromHeight = (int) picture.shape().dim(0);
        int fromWidth = (int) picture.shape().dim(1);
        Size target = target(fromHeight, fromWidth);
        double right = (double) target.width() / fromWidth;
        double down = (double) target.height() / fromHeight;
        List<Part> resized = new ArrayList<>();
        for (Part part : parts) {
            if (part instanceof Pixels pixels) {
                resized.add(new Pixels(apply(pixels.tensor())));
            } else if (part instanceof Mask mask) {
                resized.add(apply(mask));
            } else if (part instanceof Dense dense) {
                resized.add(new Dense(Nearest.resized(dense.tensor(), target.height(), target.width())));
            } else if (part instanceof Boxes boxes) {
                resized.add(new Boxes(scaled(boxes.corners(), right, down, right, down), boxes.classes()));
            } else if (part instanceof KeyPoints points) {
                resized.add(new KeyPoints(scaled(points.tensor(), right, down, 1)));
            }
        }
        return resized;
    }

    private static Tensor scaled(Tensor rows, double... factors) {
        float[] values = rows.toFloatArray();
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (values[i] * factors[i % factors.length]);
        }
        return Tensor.ofFloats(values, rows.shape().toArray());
    }

    /** The resized size of an image of this size. */
    Size target(int fromHeight, int fromWidth) {
        if (width > 0) {
            return new Size(height, width);
        }
        int shorter = Math.min(fromHeight, fromWidth);
        long longer = (long) height * Math.max(fromHeight, fromWidth) / shorter;
        if (longer > 0xFFFF) {
            throw new FormatException("cannot resize the shorter side of %d x %d pixels to %d: the longer would be %d"
                    .formatted(fromHeight, fromWidth, height, longer));
        }
        return fromHeight < fromWidth ? new Size(height, (int) longer) : new Size((int) longer, height);
    }

    /** The name of a stage: {@code resize 224 x 224}. */
    @Override
    public String toString() {
        return width > 0 ? "resize %d x %d".formatted(height, width) : "resize shorter side " + height;
    }
}
