package io.penstock.vision;

import io.penstock.tensor.Tensor;

/**
 * A picture: geometry moves it and is interpolated, colours change it.
 *
 * @param tensor {@code u8} or {@code f32[h, w, c]}; {@code f32[c, h, w]} behind a normalisation that says so
 */
public record Pixels(Tensor tensor) implements Part {

    public Pixels {
        PartForm.require(tensor.shape().rank() == 3, "a picture", "[h, w, c]", tensor);
    }
}
