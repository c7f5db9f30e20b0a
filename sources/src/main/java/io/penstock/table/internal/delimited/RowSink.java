package io.penstock.table.internal.delimited;

import io.penstock.fault.FormatException;
import io.penstock.table.TableOptions;
import io.penstock.table.internal.ColumnBuilder;
import io.penstock.table.internal.ColumnType;
import io.penstock.table.internal.DecodedColumn;
import io.penstock.table.internal.MemoryBudget;
import io.penstock.table.internal.TableGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Takes the rows of a group. A row in which something is wrong has placeholders, and is refused when it is loaded. */
final class RowSink {

    static final String TWICE = "it is there twice";

    private static final int A_FAULT = 256;

    private final List<ColumnType> types;
    private final List<ColumnBuilder> builders = new ArrayList<>();
    private final boolean[] begun;
    private final Map<Integer, String> faults = new HashMap<>();
    private final MemoryBudget budget;
    private final int[] lines;
    private final long firstLine;
    private int rows;

    RowSink(List<ColumnType> types, TableOptions options, MemoryBudget budget, int rows, long firstLine) {
        this.types = types;
        this.budget = budget;
        budget.take((long) Integer.BYTES * rows);
        this.lines = new int[rows];
        this.firstLine = firstLine;
        this.begun = new boolean[types.size()];
        types.forEach(type -> builders.add(new ColumnBuilder(type, options.fillOf(type.name()), budget)));
    }

    /** Whether all rows have come. */
    boolean isFull() {
        return rows == lines.length;
    }

    /**
     * Adds a row.
     * @param line   it begins with
     * @param values adds them to this
     */
    void row(long line, Runnable values) {
        if (isFull()) {
            throw new FormatException("more than %d rows came: the file has changed".formatted(rows));
        }
        lines[rows++] = (int) (line - firstLine);
        Arrays.fill(begun, false);
        builders.forEach(ColumnBuilder::row);
        try {
            values.run();
        } catch (CellFault fault) {
            budget.take(A_FAULT);
            faults.put(rows - 1, fault.getMessage());
        }
        for (int i = 0; i < types.size(); i++) {
            if (!begun[i]) {
                missing(i);
            }
        }
    }

    /** The type of a column. */
    ColumnType type(int column) {
        return types.get(column);
    }

    private void begin(int column) {
        if (begun[column]) {
            throw CellFault.of(types.get(column).name(), TWICE);
        }
        begun[column] = true;
    }

    /** There is no value. */
    void missing(int column) {
        begin(column);
        builders.get(column).missingRow();
    }

    /** A number that is a row's only value in a column. */
    void number(int column, long bits) {
        begin(column);
        builders.get(column).add(bits);
    }

    /** A text that is a row's only value in a column. */
    void text(int column, byte[] text) {
        begin(column);
        builders.get(column).add(text, 0, text.length);
    }

    /** A list begins, in a column of lists; the next calls give its values. */
    ColumnBuilder list(int column) {
        begin(column);
        builders.get(column).list(0);
        return builders.get(column);
    }

    List<DecodedColumn> columns() {
        return builders.stream().map(ColumnBuilder::build).toList();
    }

    /** Where the rows lie, and what is wrong with some. */
    TableGroup.Lines lines() {
        return new TableGroup.Lines(firstLine, lines, faults);
    }
}
