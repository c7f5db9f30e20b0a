package io.penstock.vision;

import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;

/**
 * Rectangles of a picture, each with its class. Geometry moves them; they become the smallest upright rectangles around
 * what they were, are clipped to the picture, and those of which too little is left are dropped with their classes.
 *
 * @param corners {@code f32[n, 4]}: x1, y1, x2, y2
 * @param classes {@code [n]} of any dtype, such as {@code i32}
 */
public record Boxes(Tensor corners, Tensor classes) implements Part {

    public Boxes {
        PartForm.require(
                corners.dtype() == DType.F32
                        && corners.shape().rank() == 2
                        && corners.shape().dim(1) == 4,
                "boxes",
                "f32[n, 4]",
                corners);
        PartForm.require(
                classes.shape().rank() == 1
                        && classes.shape().dim(0) == corners.shape().dim(0),
                "classes of boxes",
                "[n], one for each box",
                classes);
    }

    /** Copies of these arrays. */
    public static Boxes of(float[] corners, int[] classes) {
        return new Boxes(Tensor.ofFloats(corners, classes.length, 4), Tensor.ofInts(classes));
    }

    /** How many there are. */
    public int size() {
        return (int) corners.shape().dim(0);
    }
}
