package io.penstock.table;

import io.penstock.fault.FormatException;
import io.penstock.internal.PackedTensors;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes one row of the rows of a window: the features, then, where they are wanted, the target and the future.
 *
 * @param names   of its fields
 * @param columns of the features, the target and the future
 * @param places  where these are in a row
 */
record WindowFields(List<String> names, int length, int horizon, List<List<String>> columns, List<int[]> places) {

    /**
     * Fields of columns that a row has.
     * @throws FormatException if it lacks one, or one is no number
     */
    static WindowFields of(List<String> names, Row row, int length, int horizon, List<List<String>> columns) {
        List<int[]> places =
                columns.stream().map(each -> Series.columns(row, each)).toList();
        if (places.get(0).length == 0) {
            throw new FormatException("windows have no features: none of %s is a number beside the series and the order"
                    .formatted(row.names()));
        }
        return new WindowFields(names, length, horizon, columns, places);
    }

    /** The window over some rows. */
    Row of(List<Row> rows) {
        List<Tensor> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            int[] each = places.get(i);
            if (each.length > 0) {
                List<Row> part = i == 0 ? rows.subList(0, length) : rows.subList(length, length + horizon);
                long[] shape =
                        i == 1 && each.length == 1 ? new long[] {horizon} : new long[] {part.size(), each.length};
                fields.add(Tensor.ofFloats(numbers(part, each), shape));
            }
        }
        return new Row(names, fields);
    }

    private static float[] numbers(List<Row> rows, int[] places) {
        float[] numbers = new float[rows.size() * places.length];
        PackedTensors[] packed = packed(rows);
        for (int column = 0; column < places.length; column++) {
            int place = places[column];
            if (packed.length > 0 && packed[0].isScalar(place)) {
                DType dtype = packed[0].get(place).dtype();
                ByteBuffer bytes = ByteBuffer.allocate(packed.length * dtype.bytes());
                PackedTensors.copy(packed, packed.length, place, bytes, 0);
                Tensor values = Tensor.of(dtype, Shape.of(packed.length), bytes);
                for (int row = 0; row < packed.length; row++) {
                    numbers[row * places.length + column] = values.floatAt(row);
                }
            } else {
                for (int row = 0; row < rows.size(); row++) {
                    numbers[row * places.length + column] = (float) number(rows.get(row), place);
                }
            }
        }
        return numbers;
    }

    /** The values of rows of one table; none if they are of another dataset. */
    private static PackedTensors[] packed(List<Row> rows) {
        PackedTensors[] packed = new PackedTensors[rows.size()];
        for (int i = 0; i < packed.length; i++) {
            if (!(rows.get(i).values() instanceof PackedTensors values)
                    || i > 0 && values.layout() != packed[0].layout()) {
                return new PackedTensors[0];
            }
            packed[i] = values;
        }
        return packed;
    }

    /**
     * The number in a column.
     * @throws FormatException if it is none
     */
    static double number(Row row, int place) {
        Tensor value = row.values().get(place);
        if (value.shape().rank() != 0) {
            String name = row.names().get(place);
            throw new FormatException(
                    ("column %s is %s: a window has numbers alone; choose others, or give a column of texts its type "
                                    + "(type, or %s:float in a flag)")
                            .formatted(name, value.type(), name));
        }
        return value.doubleAt(0);
    }

    @Override
    public String toString() {
        return "window features %s, target %s, future %s".formatted(columns.get(0), columns.get(1), columns.get(2));
    }
}
