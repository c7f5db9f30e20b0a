package io.penstock.table;

import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.List;

/**
 * A row of a table: named tensors.
 *
 * @param names  of the fields, which all rows of a table share
 * @param values one for each name
 */
public record Row(List<String> names, List<Tensor> values) {

    public Row {
        if (names.size() != values.size()) {
            throw new IllegalArgumentException(
                    "a row has one value for each name, has %d for %d".formatted(values.size(), names.size()));
        }
    }

    /** How rows with these fields are laid out: for batches and caches. */
    public static Schema<Row> schema(List<String> names) {
        return new RowSchema(List.copyOf(names));
    }

    /**
     * The value of a field.
     * @throws IllegalArgumentException if there is none of this name
     */
    public Tensor tensor(String name) {
        int at = names.indexOf(name);
        if (at < 0) {
            throw new IllegalArgumentException("a row has no field \"%s\", only %s".formatted(name, names));
        }
        return values.get(at);
    }

    /**
     * The fields of these names, as a record:
     * <pre>{@code
     *  Schema<Ride> schema = Schema.of(Ride.class);
     *  Dataset<Ride> rides = table.map("ride", row -> row.as(schema));
     * }</pre>
     *
     * A number may be of another dtype, if the component can be it; a {@code float} is the nearest.
     * @throws IllegalArgumentException if a field is missing, or no value of its component
     */
    public <T> T as(Schema<T> schema) {
        return schema.unflatten(schema.names().stream().map(this::tensor).toList());
    }
}
