package io.penstock.cli.source;

import io.penstock.internal.Arguments;
import io.penstock.table.TableOptions;
import io.penstock.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table as a flag says them: {@code NAME[:TYPE][=FILL],…}. A type that ends in {@code []} is a
 * list, in files that do not say it.
 *
 * @param text    what the flag says
 * @param options what it means for the table
 * @param picture the column with pictures; null where there is none
 * @param label   the column with their labels; null where none is named
 */
public record TableColumns(
        String text,
        TableOptions options,
        @Nullable String picture,
        @Nullable String label) {

    private static final String ALL = "*";
    private static final String PICTURE = "picture";
    private static final String LABEL = "label";
    private static final String LIST = "[]";
    private static final Map<String, DType> TYPES =
            Map.of("int", DType.I64, "float", DType.F32, "double", DType.F64, "bool", DType.BOOL, "bytes", DType.U8);

    static TableColumns parse(String text) {
        List<String> names = new ArrayList<>();
        TableOptions options = TableOptions.standard();
        String picture = null;
        String label = null;
        for (String column : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int equals = column.indexOf('=');
            String typed = equals < 0 ? column : column.substring(0, equals);
            int colon = typed.lastIndexOf(':');
            String name = colon < 0 ? typed : typed.substring(0, colon);
            String type = colon < 0 ? "" : typed.substring(colon + 1);
            Arguments.refuse(name.isEmpty(), "a column needs a name, was \"%s\" in \"%s\"", column, text);
            if (equals >= 0) {
                double fill = fill(column, column.substring(equals + 1));
                options = name.equals(ALL) ? options.fillNulls(fill) : options.fillNulls(name, fill);
            }
            if (!name.equals(ALL)) {
                names.add(name);
            }
            int lists = 0;
            for (; type.endsWith(LIST); type = type.substring(0, type.length() - LIST.length())) {
                lists++;
            }
            if (lists > 0) {
                options = options.lists(name, lists);
            }
            switch (type) {
                case "" -> {}
                case PICTURE -> picture = name;
                case LABEL -> {
                    label = name;
                    options = options.type(name, DType.I64);
                }
                default -> {
                    DType dtype = TYPES.get(type);
                    if (dtype == null) {
                        throw new IllegalArgumentException(
                                ("a column is int, float, double, bool, bytes, a list as int[], picture or label,"
                                                + " was \"%s\" in \"%s\"")
                                        .formatted(type, text));
                    }
                    options = options.type(name, dtype);
                }
            }
        }
        return new TableColumns(text, options.columns(names.toArray(String[]::new)), picture, label);
    }

    /**
     * The names, for sources whose fields have types of their own and no nulls. Which are pictures and labels is no type.
     * @throws IllegalArgumentException if they say types or values for nulls
     */
    List<String> withoutTypes(String source) {
        boolean typed = options.types().keySet().stream().anyMatch(name -> !name.equals(label));
        if (options.fillsNulls() || typed) {
            throw new IllegalArgumentException(
                    "the fields of %s have types of their own and no nulls: name them alone, not \"%s\""
                            .formatted(source, text));
        }
        return options.columns();
    }

    private static double fill(String column, String value) {
        try {
            return value.equalsIgnoreCase("nan") ? Double.NaN : Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "what nulls become must be a number, as in %s=0, was \"%s\""
                            .formatted(column.substring(0, column.indexOf('=')), value),
                    e);
        }
    }
}
