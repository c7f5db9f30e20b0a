package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import io.penstock.table.internal.ColumnType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;

/**
 * Finds the columns in a file's schema, which is a tree in depth-first order.
 *
 * <p>A column's name is its path with points, without the names of the groups that only make a list or a map:
 * {@code words.list.element} is {@code words}, {@code map.key_value.key} is {@code map.key}.
 * @see <a href="https://github.com/apache/parquet-format/blob/master/LogicalTypes.md">Logical types: lists, maps</a>
 */
final class ParquetLeaves {

    private static final int MAX_DEPTH = 200;

    private final List<SchemaElement> elements;
    private final List<ParquetLeaf> leaves = new ArrayList<>();
    private int at;

    /** What surrounds an element. */
    private record Around(List<String> path, List<String> name, int definition, List<Integer> lists) {}

    private ParquetLeaves(List<SchemaElement> elements) {
        this.elements = elements;
    }

    static List<ParquetLeaf> of(List<SchemaElement> elements) {
        ParquetLeaves leaves = new ParquetLeaves(elements);
        SchemaElement root = leaves.next();
        for (int i = 0; i < root.getNum_children(); i++) {
            leaves.visit(new Around(List.of(), List.of(), 0, List.of()), false, false);
        }
        Set<String> names = new HashSet<>();
        for (ParquetLeaf leaf : leaves.leaves) {
            for (String name : leaf.type().names()) {
                if (!names.add(name)) {
                    throw new FormatException("two columns are named \"%s\"".formatted(name));
                }
            }
        }
        return leaves.leaves;
    }

    private SchemaElement next() {
        if (at >= elements.size()) {
            throw new FormatException("the schema ends early");
        }
        return elements.get(at++);
    }

    /**
     * Visits the next element and all in it.
     * @param inList  whether it is what repeats in a list
     * @param unnamed whether its name says nothing
     */
    private void visit(Around around, boolean inList, boolean unnamed) {
        SchemaElement element = next();
        if (around.path().size() > MAX_DEPTH) {
            throw new FormatException("the schema is more than %d levels deep".formatted(MAX_DEPTH));
        }
        FieldRepetitionType repetition = element.getRepetition_type();
        int definition = around.definition() + (repetition == FieldRepetitionType.REQUIRED ? 0 : 1);
        List<Integer> lists = around.lists();
        if (repetition == FieldRepetitionType.REPEATED) {
            lists = with(lists, definition);
        }
        List<String> path = with(around.path(), element.getName());
        if (element.isSetType()) {
            leaf(element, path, unnamed ? around.name() : with(around.name(), element.getName()), definition, lists);
            return;
        }
        boolean onlyList = inList && isWrapper(element, around.path());
        List<String> name = unnamed ? around.name() : with(around.name(), element.getName());
        boolean isList = isList(element);
        boolean isMap = isMap(element);
        Around inside = new Around(path, name, definition, lists);
        for (int i = 0; i < element.getNum_children(); i++) {
            visit(inside, isList, isList || isMap || onlyList);
        }
    }

    /** Whether a repeated group is only there for its one child to be null: old writers repeat the element itself. */
    private static boolean isWrapper(SchemaElement repeated, List<String> path) {
        String list = path.get(path.size() - 1);
        return repeated.getNum_children() == 1
                && !repeated.getName().equals("array")
                && !repeated.getName().equals(list + "_tuple");
    }

    private static boolean isList(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        return element.getConverted_type() == ConvertedType.LIST || logical != null && logical.isSetLIST();
    }

    private static boolean isMap(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        boolean old = element.getConverted_type() == ConvertedType.MAP_KEY_VALUE
                && element.getRepetition_type() != FieldRepetitionType.REPEATED;
        return old || element.getConverted_type() == ConvertedType.MAP || logical != null && logical.isSetMAP();
    }

    private void leaf(
            SchemaElement element, List<String> path, List<String> name, int definition, List<Integer> lists) {
        String full = String.join(".", name);
        ParquetElement value;
        try {
            value = ParquetElement.of(element);
        } catch (FormatException e) {
            throw new FormatException("column %s: %s".formatted(full, e.getMessage()), e);
        }
        int length = element.isSetType_length() ? element.getType_length() : 0;
        if (element.getType() == org.apache.parquet.format.Type.FIXED_LEN_BYTE_ARRAY && length < 1) {
            throw new FormatException("column %s: values cannot have %d bytes".formatted(full, length));
        }
        PrimitiveTypeName stored = switch (element.getType()) {
            case BOOLEAN -> PrimitiveTypeName.BOOLEAN;
            case INT32 -> PrimitiveTypeName.INT32;
            case INT64 -> PrimitiveTypeName.INT64;
            case INT96 -> PrimitiveTypeName.INT96;
            case FLOAT -> PrimitiveTypeName.FLOAT;
            case DOUBLE -> PrimitiveTypeName.DOUBLE;
            case BYTE_ARRAY -> PrimitiveTypeName.BINARY;
            case FIXED_LEN_BYTE_ARRAY -> PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
        };
        PrimitiveType type = new PrimitiveType(Repetition.REQUIRED, stored, length, element.getName());
        leaves.add(new ParquetLeaf(
                leaves.size(),
                new ColumnDescriptor(path.toArray(new String[0]), type, lists.size(), definition),
                lists,
                value,
                new ColumnType(full, value.dtype(), lists.size(), value.bytes(), ParquetElement.unit(element))));
    }

    private static <T> List<T> with(List<T> list, T last) {
        List<T> longer = new ArrayList<>(list);
        longer.add(last);
        return List.copyOf(longer);
    }
}
