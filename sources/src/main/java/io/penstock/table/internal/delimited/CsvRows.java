package io.penstock.table.internal.delimited;

import io.penstock.fault.FormatException;
import io.penstock.table.TableOptions;
import io.penstock.table.internal.ColumnType;
import io.penstock.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the chosen cells of each record.
 *
 * @param width   how many cells a record has
 * @param numbers of the chosen cells
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record CsvRows(RecordSyntax syntax, int width, int[] numbers) implements RowReader {

    /** Those of columns of a header. */
    static CsvRows of(RecordSyntax syntax, List<String> header, List<ColumnType> columns) {
        int[] numbers = columns.stream()
                .mapToInt(column -> header.indexOf(column.name()))
                .toArray();
        return new CsvRows(syntax, header.size(), numbers);
    }

    /** The columns that a header has, or those of them that are chosen. */
    static List<ColumnType> columns(List<String> header, List<String> wanted, TableOptions options) {
        List<ColumnType> columns = new ArrayList<>();
        for (String name : wanted.isEmpty() ? header : wanted) {
            int at = header.indexOf(name);
            if (at < 0) {
                continue; // another file of the table may have it
            }
            if (at != header.lastIndexOf(name)) {
                throw new FormatException("there are two columns \"%s\"; choose others".formatted(name));
            }
            if (options.lists(name) > 0) {
                throw new FormatException("column %s cannot have lists: a cell is one value".formatted(name));
            }
            columns.add(DelimitedFile.type(name, options));
        }
        return columns;
    }

    @Override
    public void read(byte[] bytes, long line, RowSink sink) {
        CsvCells cells = new CsvCells(syntax, bytes, 0, line);
        while (cells.next()) {
            sink.row(cells.line(), () -> row(cells, sink));
        }
    }

    private void row(CsvCells cells, RowSink sink) {
        if (cells.count() != width) {
            throw new CellFault("there are %d cells, the header has %d".formatted(cells.count(), width));
        }
        cells.requireWhole();
        for (int i = 0; i < numbers.length; i++) {
            ColumnType type = sink.type(i);
            byte[] cell = cells.cell(numbers[i]);
            if (type.dtype() == DType.U8) {
                sink.text(i, cell);
                continue;
            }
            String text = CellText.of(cell);
            if (CellText.isNull(text)) {
                sink.missing(i);
            } else {
                sink.number(i, CellText.bits(type, text));
            }
        }
    }
}
