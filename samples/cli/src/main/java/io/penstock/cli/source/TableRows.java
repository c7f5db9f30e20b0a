package io.penstock.cli.source;

import io.penstock.fault.FormatException;
import io.penstock.folder.LabelledFile;
import io.penstock.pipeline.Dataset;
import io.penstock.table.Row;
import io.penstock.table.TableField;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a table as the samples that its columns make of it: pictures, one tensor each, or rows. */
public record TableRows(Dataset<Row> table, Schema<Row> schema, List<TableField> fields, TableColumns columns) {

    private static final String LABEL = "label";

    /** Whether a text is a number, so that its column may be one of numbers that nobody named the type of. */
    public static boolean isNumber(String text) {
        return text.matches("[-+]?\\d*[.]?\\d+(e[-+]?\\d+)?");
    }

    boolean isTensors() {
        return fields.size() == 1;
    }

    Dataset<LabelledFile> files(String picture) {
        List<String> names = schema.names();
        String bytes = names.contains(picture + ".bytes") ? picture + ".bytes" : picture; // as Hugging Face keeps them
        String label = label(names);
        TableField field = fields.get(names.indexOf(bytes));
        if (field.dtype() != DType.U8 || field.axes() != 1) {
            throw new FormatException("column %s has no pictures: it is %s".formatted(picture, field));
        }
        return table.map(
                "picture %s, label %s".formatted(bytes, label),
                row -> new LabelledFile(picture, row.tensor(bytes), label == null ? 0 : label(row.tensor(label))));
    }

    private @Nullable String label(List<String> names) {
        if (columns.label() != null) {
            return columns.label();
        }
        return names.contains(LABEL) ? LABEL : null;
    }

    private static int label(Tensor value) {
        if (value.shape().rank() != 0) {
            throw new FormatException("a label must be a number, was " + value.type());
        }
        return Math.toIntExact(value.longAt(0));
    }

    Cacheable<Tensor> tensors() {
        String name = schema.names().get(0);
        return new Cacheable<>(table.map(name, row -> row.tensor(name)), Schema.tensor(name), 0);
    }

    Cacheable<Row> rows() {
        return new Cacheable<>(table, schema, 0);
    }
}
