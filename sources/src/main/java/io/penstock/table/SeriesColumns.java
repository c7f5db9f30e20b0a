package io.penstock.table;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The columns that tell the series of a row and its place there. */
final class SeriesColumns {

    private final List<String> by;
    private final @Nullable String order;
    private final int[] series;
    private final int place;

    /**
     * Columns that a row has.
     * @param order null where rows have the order in which they lie
     * @throws FormatException if it lacks one
     */
    SeriesColumns(Row row, List<String> by, @Nullable String order) {
        this.by = by;
        this.order = order;
        this.series = by.stream().mapToInt(name -> column(row, name)).toArray();
        this.place = order == null ? -1 : column(row, order);
    }

    static int column(Row row, String name) {
        int column = row.names().indexOf(name);
        if (column < 0) {
            throw new FormatException("there is no column \"%s\" for windows, only %s".formatted(name, row.names()));
        }
        return column;
    }

    /** What rows of one series have in common. */
    List<Tensor> series(Row row) {
        List<Tensor> values = new ArrayList<>(series.length);
        for (int column : series) {
            values.add(row.values().get(column));
        }
        return values;
    }

    /** The place of a row in its series; 0 where it has no order. */
    long place(Row row) {
        if (place < 0) {
            return 0;
        }
        Tensor value = row.values().get(place);
        if (value.isText()) {
            return RowWindows.place(value.toText());
        }
        double number = value.shape().rank() == 0 ? value.doubleAt(0) : Double.NaN;
        if (number != Math.rint(number)) {
            throw new FormatException("column %s, the order of rows, must have whole numbers, dates or times, has %s"
                    .formatted(order, value));
        }
        return value.longAt(0);
    }

    /** What a series is called, and what shares are dealt by. */
    String words(List<Tensor> values) {
        if (values.isEmpty()) {
            return "the only series";
        }
        List<String> words = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Tensor value = values.get(i);
            boolean whole = value.shape().rank() == 0 && value.doubleAt(0) == value.longAt(0);
            words.add(by.get(i) + " "
                    + (value.isText() ? value.toText() : whole ? Long.toString(value.longAt(0)) : value.toString()));
        }
        return String.join(", ", words);
    }

    @Override
    public String toString() {
        return (by.isEmpty() ? "of one series" : "by " + by) + (order == null ? "" : " in the order of " + order);
    }
}
