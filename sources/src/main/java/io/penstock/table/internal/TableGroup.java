package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import io.penstock.internal.PackedTensors;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The decoded rows of a row group: numbers row by row, and columns of lists. */
public final class TableGroup {

    private final ScalarRows scalars;
    private final List<DecodedColumn> lists;
    private final List<Nulls> nulls;
    private final @Nullable Lines lines;
    private final long bytes;

    /** The rows in which a column is null, and there is no value for nulls. */
    private record Nulls(String column, BitSet rows) {}

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

    /**
     * The rows of decoded columns.
     * @param lines where the rows lie in a file of lines; null in other files
     * @throws FormatException if the budget has no room for them
     */
    public TableGroup(List<DecodedColumn> columns, int rows, @Nullable Lines lines, MemoryBudget budget) {
        this.lines = lines;
        this.scalars =
                new ScalarRows(columns.stream().filter(DecodedColumn::isScalar).toList(), rows, budget);
        this.lists = columns.stream().filter(column -> !column.isScalar()).toList();
        this.nulls = columns.stream()
                .filter(column -> !column.nulls().isEmpty())
                .map(column -> new Nulls(column.type().name(), column.nulls()))
                .toList();
        this.bytes = scalars.bytes()
                + lists.stream().mapToLong(DecodedColumn::bytes).sum()
                + nulls.stream().mapToLong(each -> each.rows.size() / Byte.SIZE).sum()
                + (lines == null ? 0 : lines.bytes());
    }

    /** How the fields of rows with these columns are laid out, and behind them fields with tensors of their own. */
    public static PackedTensors.Layout layout(List<ColumnType> columns, int others) {
        List<@Nullable DType> scalars = new ArrayList<>();
        for (ColumnType column : columns) {
            scalars.add(column.depth() == 0 ? column.dtype() : null);
            scalars.addAll(Collections.nCopies(column.names().size() - 1, null));
        }
        scalars.addAll(Collections.nCopies(others, null));
        return new PackedTensors.Layout(scalars);
    }

    /** What this takes in memory. */
    public long bytes() {
        return bytes;
    }

    /** The line of a row; null in a file that has no lines. */
    public @Nullable String place(int row) {
        return lines == null ? null : "line " + (lines.first + lines.starts[row]);
    }

    /**
     * The fields of a row.
     * @param others those behind the columns
     * @throws FormatException if something is wrong with it, or one is null and there is no value for nulls
     */
    public List<Tensor> row(int row, PackedTensors.Layout layout, List<Tensor> others) {
        String fault = lines == null ? null : lines.faults.get(row);
        if (fault != null) {
            throw new FormatException(fault);
        }
        for (Nulls each : nulls) {
            if (each.rows.get(row)) {
                throw isNull(each.column);
            }
        }
        List<Tensor> apart = others;
        if (!lists.isEmpty()) {
            apart = new ArrayList<>(layout.others());
            for (DecodedColumn column : lists) {
                column.addTo(apart, row);
            }
            apart.addAll(others);
        }
        return new PackedTensors(layout, scalars.row(row), apart);
    }

    static FormatException isNull(String column) {
        return new FormatException(
                "column %s is null; say what nulls become (fillNulls, or %s=0 or =NaN in a flag), or choose other columns"
                        .formatted(column, column));
    }
}
