package io.penstock.cli.source;

import io.penstock.tensor.Tensor;
import java.util.function.UnaryOperator;

/**
 * A decoded image and what it shows.
 *
 * @param pixels {@code u8[height, width, 3]}
 * @param label  the number of its class
 */
public record Picture(Tensor pixels, int label) {

    public Picture with(UnaryOperator<Tensor> change) {
        return new Picture(change.apply(pixels), label);
    }
}
