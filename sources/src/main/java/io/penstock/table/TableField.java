package io.penstock.table;

import io.penstock.tensor.DType;

/**
 * A field of a table's rows.
 *
 * @param axes 0 for a scalar, 1 for a vector whose length each row has of its own
 */
public record TableField(String name, DType dtype, int axes) {

    public TableField {
        if (axes < 0 || axes > 1) {
            throw new IllegalArgumentException("a field is a scalar or a vector, not of %d axes".formatted(axes));
        }
    }

    @Override
    public String toString() {
        return name + " " + dtype + (axes == 0 ? "" : "[n]");
    }
}
