package io.penstock.table.internal.delimited;

import io.penstock.fault.FormatException;
import io.penstock.table.TableOptions;
import io.penstock.table.internal.ColumnType;
import io.penstock.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the chosen cells of each record. A record is refused for a wrong number of cells, a quote that is not closed, or
 * bytes that are not UTF-8, whichever cells are chosen; for a value that is none of its type, if its cell is chosen.
 */
final class CsvRows implements RecordReader {

    private final List<String> header;
    private final int[] numbers;
    private final CsvCells cells;

    CsvRows(RecordSyntax syntax, List<String> header, List<ColumnType> columns) {
        this.header = header;
        this.numbers = columns.stream()
                .mapToInt(column -> header.indexOf(column.name()))
                .toArray();
        this.cells = new CsvCells(syntax);
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
    public void read(byte[] bytes, int from, int to, RowSink sink) {
        List<byte[]> found = cells.of(bytes, from, to);
        if (found.size() != header.size()) {
            throw new CellFault("there are %d cells, the header has %d".formatted(found.size(), header.size()));
        }
        CsvCells.requireUtf8(found, header);
        for (int i = 0; i < numbers.length; i++) {
            ColumnType type = sink.type(i);
            byte[] cell = found.get(numbers[i]);
            if (type.dtype() == DType.U8) {
                sink.text(i, cell);
                continue;
            }
            String text = CsvCells.text(cell).strip();
            if (CellText.isNull(text)) {
                sink.missing(i);
            } else {
                sink.number(i, CellText.bits(type, text));
            }
        }
    }
}
