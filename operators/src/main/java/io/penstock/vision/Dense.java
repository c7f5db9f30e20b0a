package io.penstock.vision;

import io.penstock.tensor.Tensor;

/**
 * A number or several for each pixel, such as a depth. Geometry takes the nearest cell, or interpolates where the
 * augmentation says so; colours leave it alone. The numbers themselves stay: a depth is not scaled, a flow not turned.
 *
 * @param tensor {@code [h, w]} or {@code [h, w, c]} of any dtype
 */
public record Dense(Tensor tensor) implements Part {

    public Dense {
        int rank = tensor.shape().rank();
        PartForm.require(rank == 2 || rank == 3, "dense values", "[h, w] or [h, w, c]", tensor);
    }
}
