package io.penstock.array;

import io.penstock.tensor.Tensor;
import java.util.Objects;

/**
 * A row of an array and the label that belongs to it.
 *
 * @param row   as the array has it
 * @param label from another array
 */
public record LabelledRow(Tensor row, long label) {

    public LabelledRow {
        Objects.requireNonNull(row, "row");
    }
}
