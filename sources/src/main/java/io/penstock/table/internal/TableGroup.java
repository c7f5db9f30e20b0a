package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The decoded columns of a row group. */
public record TableGroup(List<DecodedColumn> columns) {

    /** What this takes in memory. */
    public long bytes() {
        return columns.stream().mapToLong(DecodedColumn::bytes).sum();
    }

    /**
     * The fields of a row.
     * @throws FormatException if one is null and there is no value for nulls
     */
    public List<Tensor> row(int row) {
        List<Tensor> tensors = new ArrayList<>(columns.size() + 2);
        for (DecodedColumn column : columns) {
            if (column.nulls().get(row)) {
                throw new FormatException(("column %s is null; say what nulls become (fillNulls, or %s=0 in a flag),"
                                + " or choose other columns")
                        .formatted(column.type().name(), column.type().name()));
            }
            column.addTo(tensors, row);
        }
        return tensors;
    }
}
