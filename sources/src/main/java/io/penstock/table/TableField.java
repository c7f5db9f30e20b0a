package io.penstock.table;

import io.penstock.tensor.DType;

/**
 * A field of a table's rows.
 *
 * @param axes 0 for a scalar, 1 for a vector, more for an array; each row has lengths of its own
 */
public record TableField(String name, DType dtype, int axes) {

    public TableField {
        if (axes < 0) {
            throw new IllegalArgumentException("a field must have 0 or more axes, was " + axes);
        }
    }

    @Override
    public String toString() {
        return name + " " + dtype + (axes == 0 ? "" : "[n" + ", n".repeat(axes - 1) + "]");
    }
}
