package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The decoded columns of a row group.
 *
 * @param lines where the rows lie in a file of lines; null in other files
 */
public record TableGroup(
        List<DecodedColumn> columns, @Nullable Lines lines) {

    /**
     * Where rows lie in a file of lines.
     *
     * @param first  number of the group's first line
     * @param starts for each row, how many lines after that it begins
     * @param faults what is wrong with rows that cannot be loaded
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Lines(long first, int[] starts, Map<Integer, String> faults) {

        private long bytes() {
            long bytes = (long) Integer.BYTES * starts.length;
            for (String fault : faults.values()) {
                bytes += 64 + fault.length();
            }
            return bytes;
        }
    }

    /** Of a file that has no lines. */
    public TableGroup(List<DecodedColumn> columns) {
        this(columns, null);
    }

    /** What this takes in memory. */
    public long bytes() {
        long bytes = columns.stream().mapToLong(DecodedColumn::bytes).sum();
        return lines == null ? bytes : bytes + lines.bytes();
    }

    /** The line of a row; null in a file that has no lines. */
    public @Nullable String place(int row) {
        return lines == null ? null : "line " + (lines.first + lines.starts[row]);
    }

    /**
     * The fields of a row.
     * @throws FormatException if something is wrong with it, or one is null and there is no value for nulls
     */
    public List<Tensor> row(int row) {
        String fault = lines == null ? null : lines.faults.get(row);
        if (fault != null) {
            throw new FormatException(fault);
        }
        List<Tensor> tensors = new ArrayList<>(columns.size() + 2);
        for (DecodedColumn column : columns) {
            if (column.nulls().get(row)) {
                throw isNull(column.type().name());
            }
            column.addTo(tensors, row);
        }
        return tensors;
    }

    static FormatException isNull(String column) {
        return new FormatException(
                "column %s is null; say what nulls become (fillNulls, or %s=0 in a flag), or choose other columns"
                        .formatted(column, column));
    }
}
