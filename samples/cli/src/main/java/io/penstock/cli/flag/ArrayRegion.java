package io.penstock.cli.flag;

import io.penstock.tensor.Shape;

/** A part of an array as {@code --region} says it, in NumPy's words: {@code 0:5,:,2:9}. */
public record ArrayRegion(String text) {

    public static ArrayRegion parse(String text) {
        if (!text.matches("\\s*(\\d{0,18}|\\d{0,18}:\\d{0,18})\\s*(,\\s*(\\d{1,18}|\\d{0,18}:\\d{0,18})\\s*)*")) {
            throw new IllegalArgumentException(
                    "a region is start:stop for each axis, as in 0:5,:,2:9, was \"" + text + "\"");
        }
        return new ArrayRegion(text);
    }

    /**
     * Where it begins, and where it ends, along each axis of an array of this shape.
     * @throws IllegalArgumentException if it has another number of axes, or reaches over an end
     */
    public long[][] within(Shape shape) {
        String[] axes = text.split(",", -1);
        if (axes.length != shape.rank()) {
            throw new IllegalArgumentException(
                    "--region %s has %d axes, the array %s has %d".formatted(text, axes.length, shape, shape.rank()));
        }
        long[] start = new long[axes.length];
        long[] stop = new long[axes.length];
        for (int axis = 0; axis < axes.length; axis++) {
            String[] ends = axes[axis].split(":", -1);
            start[axis] = ends[0].isBlank() ? 0 : Long.parseLong(ends[0].trim());
            stop[axis] = ends.length == 1
                    ? start[axis] + 1
                    : ends[1].isBlank() ? shape.dim(axis) : Long.parseLong(ends[1].trim());
            if (start[axis] < 0 || start[axis] > stop[axis] || stop[axis] > shape.dim(axis)) {
                throw new IllegalArgumentException("--region %s: axis %d must be within 0:%d, was %s"
                        .formatted(text, axis, shape.dim(axis), axes[axis]));
            }
        }
        return new long[][] {start, stop};
    }
}
