package io.penstock.vision;

import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;

/**
 * Points of a picture, k for each of n instances. Geometry moves them. One that leaves the picture keeps its
 * coordinates, and its visibility becomes 0; one of visibility 0 is left alone.
 *
 * @param tensor {@code f32[n, k, 3]}: x, y, visibility, as COCO's; rows are those of the boxes, if there are any
 */
public record KeyPoints(Tensor tensor) implements Part {

    public KeyPoints {
        boolean three = tensor.shape().rank() == 3 && tensor.shape().dim(2) == 3;
        PartForm.require(three && tensor.dtype() == DType.F32, "key points", "f32[n, k, 3]", tensor);
    }
}
