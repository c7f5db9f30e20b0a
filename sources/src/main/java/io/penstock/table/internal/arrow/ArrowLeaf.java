package io.penstock.table.internal.arrow;

import io.penstock.fault.FormatException;
import io.penstock.table.internal.ColumnType;
import io.penstock.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * A column: values at the end of a path of nodes. Structs and maps become a column a member, as those of Parquet do.
 *
 * @param path from a field of the schema to the values
 */
record ArrowLeaf(ColumnType type, List<ArrowNode> path) {

    /** The columns of a schema, or those of them that are chosen by name, or by the name of a group. */
    static List<ArrowLeaf> of(List<ArrowNode> fields, List<String> wanted) {
        List<ArrowLeaf> all = new ArrayList<>();
        for (ArrowNode field : fields) {
            if (wanted.isEmpty()
                    || wanted.stream().anyMatch(name -> isIn(field.name, name) || isIn(name, field.name))) {
                collect(field, field.name, 0, List.of(), all);
            }
        }
        return ColumnType.chosen(all, ArrowLeaf::type, wanted);
    }

    private static boolean isIn(String name, String group) {
        return name.equals(group) || name.startsWith(group + ".");
    }

    private static void collect(ArrowNode node, String name, int lists, List<ArrowNode> before, List<ArrowLeaf> all) {
        List<ArrowNode> path = new ArrayList<>(before);
        path.add(node);
        switch (node.kind) {
            case STRUCT -> {
                for (ArrowNode child : node.children) {
                    collect(child, name + "." + child.name, lists, path, all);
                }
            }
            case LIST, FIXED_LIST -> collect(node.children.get(0), name, lists + 1, path, all);
            case DICTIONARY -> collect(node.children.get(0), name, lists, path, all);
            case OTHER ->
                throw new FormatException(
                        "column %s has a type that is not supported (null, union, interval, run-end or list view); "
                                        .formatted(name)
                                + "choose other columns");
            default -> {
                DType dtype = node.dtype == null ? DType.U8 : node.dtype;
                boolean bytes = switch (node.kind) {
                    case BYTES, FIXED_BYTES, VIEW -> true;
                    default -> false;
                };
                all.add(new ArrowLeaf(new ColumnType(name, dtype, lists, bytes, node.unit()), List.copyOf(path)));
            }
        }
    }
}
