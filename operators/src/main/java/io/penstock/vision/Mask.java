package io.penstock.vision;

import io.penstock.tensor.Tensor;

/**
 * A class for each pixel. Geometry takes the nearest cell, so there is never a class that was not there; colours leave
 * it alone.
 *
 * @param tensor {@code [h, w]} of any dtype, such as {@code u8}
 */
public record Mask(Tensor tensor) implements Part {

    public Mask {
        PartForm.require(tensor.shape().rank() == 2, "a mask", "[h, w]", tensor);
    }
}
