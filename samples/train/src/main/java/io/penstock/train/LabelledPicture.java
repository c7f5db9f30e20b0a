package io.penstock.train;

import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.function.UnaryOperator;

/**
 * A picture and what it shows.
 *
 * @param pixels {@code u8[size, size, channels]}, {@code f32[channels, size, size]} once normalised
 * @param label  the number of its class
 */
public record LabelledPicture(Tensor pixels, int label) {

    static final String PIXELS = "pixels";
    static final String LABEL = "label";
    static final Schema<LabelledPicture> SCHEMA = Schema.of(LabelledPicture.class);

    LabelledPicture with(UnaryOperator<Tensor> change) {
        return new LabelledPicture(change.apply(pixels), label);
    }
}
