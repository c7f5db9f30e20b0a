package io.penstock.vision;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
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
        Shape rows = corners.shape();
        Shape each = classes.shape();
        boolean four = rows.rank() == 2 && rows.dim(1) == 4;
        PartForm.require(four && corners.dtype() == DType.F32, "boxes", "f32[n, 4]", corners);
        boolean beside = each.rank() == 1 && each.dim(0) == rows.dim(0);
        PartForm.require(beside, "classes of boxes", "[n], one for each box", classes);
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
