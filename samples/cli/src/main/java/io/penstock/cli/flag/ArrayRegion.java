package io.penstock.cli.flag;

import io.penstock.tensor.Shape;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A part of an array as {@code --region} says it, in NumPy's words: {@code 0:5,:,2:9}. */
public record ArrayRegion(String text) {

    /** Where it begins and ends along each axis of a shape. */
    public static final class Bounds {
        public final long[] start;
        public final long[] stop;

        private Bounds(int axes) {
            this.start = new long[axes];
            this.stop = new long[axes];
        }
    }

    /**
     * Its bounds in an array of this shape.
     * @throws IllegalArgumentException if it has another number of axes, or reaches over an end
     */
    public Bounds within(Shape shape) {
        String[] axes = text.split(",", -1);
        if (axes.length != shape.rank()) {
            throw new IllegalArgumentException(
                    "--region %s has %d axes, the array %s has %d".formatted(text, axes.length, shape, shape.rank()));
        }
        Bounds bounds = new Bounds(axes.length);
        for (int axis = 0; axis < axes.length; axis++) {
            String[] ends = axes[axis].split(":", -1);
            bounds.start[axis] = ends[0].isBlank() ? 0 : Long.parseLong(ends[0].trim());
            bounds.stop[axis] = ends.length == 1
                    ? bounds.start[axis] + 1
                    : ends[1].isBlank() ? shape.dim(axis) : Long.parseLong(ends[1].trim());
            if (bounds.start[axis] < 0
                    || bounds.start[axis] > bounds.stop[axis]
                    || bounds.stop[axis] > shape.dim(axis)) {
                throw new IllegalArgumentException("--region %s: axis %d must be within 0:%d, was %s"
                        .formatted(text, axis, shape.dim(axis), axes[axis]));
            }
        }
        return bounds;
    }

    /** For picocli. */
    public static final class Reader implements ITypeConverter<ArrayRegion> {
        @Override
        public ArrayRegion convert(String text) {
            if (!text.matches("\\s*(\\d{0,18}|\\d{0,18}:\\d{0,18})\\s*(,\\s*(\\d{1,18}|\\d{0,18}:\\d{0,18})\\s*)*")) {
                throw new TypeConversionException(
                        "a region is start:stop for each axis, as in 0:5,:,2:9, was \"" + text + "\"");
            }
            return new ArrayRegion(text);
        }
    }
}
