package io.penstock.table;

import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.List;

/** Rows as their fields. */
record RowSchema(List<String> names) implements Schema<Row> {

    @Override
    public List<Tensor> flatten(Row row) {
        return row.values();
    }

    @Override
    public Row unflatten(List<Tensor> tensors) {
        return new Row(names, tensors);
    }
}
