package io.penstock.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.penstock.arrow.internal.BatchWords;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Type;

/**
 * One field of a batch as Arrow sees it: numbers where a row is a scalar, else lists of a fixed size that the canonical
 * extension {@code arrow.fixed_shape_tensor} gives a shape.
 *
 * <p>Arrow packs booleans into bits and has no bfloat16. Bytes stay as they are here: {@code bool} is an {@code int8}
 * ({@code arrow.bool8} where a row is a scalar), {@code bf16} a {@code uint16}; the field's own metadata say which.
 *
 * @param row the shape of one row
 * @see <a href="https://arrow.apache.org/docs/format/CanonicalExtensions.html">Canonical extension types</a>
 */
record Column(String name, DType dtype, Shape row) {

    private static final String EXTENSION = "ARROW:extension:name";
    private static final String EXTENSION_METADATA = "ARROW:extension:metadata";

    /** Whether a row is one number. */
    boolean isScalar() {
        return row.rank() == 0;
    }

    /** The field, in a schema that is being built; its offset there. */
    int field(FlatBufferBuilder schema) {
        List<Integer> metadata = new ArrayList<>();
        BatchWords.ofColumn(dtype, row).forEach((name, word) -> metadata.add(entry(schema, name, word)));
        if (isScalar()) {
            if (dtype == DType.BOOL) {
                metadata.add(entry(schema, EXTENSION, "arrow.bool8"));
                metadata.add(entry(schema, EXTENSION_METADATA, ""));
            }
            return field(schema, name, number(), number(schema), 0, metadata);
        }
        if (row.elements() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "cannot write field \"%s\" to Arrow: a row has at most 2^31 - 1 elements, was %s%s"
                            .formatted(name, dtype, row));
        }
        if (row.elements() > 0) {
            metadata.add(entry(schema, EXTENSION, "arrow.fixed_shape_tensor"));
            metadata.add(entry(schema, EXTENSION_METADATA, "{\"shape\":[" + BatchWords.dims(row) + "]}"));
        }
        int item = field(schema, "item", number(), number(schema), 0, List.of());
        int children = Field.createChildrenVector(schema, new int[] {item});
        int list = FixedSizeList.createFixedSizeList(schema, (int) row.elements());
        return field(schema, name, Type.FixedSizeList, list, children, metadata);
    }

    private static int field(
            FlatBufferBuilder schema, String name, byte kind, int type, int children, List<Integer> metadata) {
        int entries = metadata.isEmpty()
                ? 0
                : Field.createCustomMetadataVector(
                        schema, metadata.stream().mapToInt(Integer::intValue).toArray());
        int inner = children == 0 ? Field.createChildrenVector(schema, new int[0]) : children;
        return Field.createField(schema, schema.createString(name), false, kind, type, 0, inner, entries);
    }

    static int entry(FlatBufferBuilder builder, String key, String value) {
        return KeyValue.createKeyValue(builder, builder.createString(key), builder.createString(value));
    }

    private byte number() {
        return switch (dtype) {
            case F16, F32, F64 -> Type.FloatingPoint;
            case BOOL, U8, I8, U16, I16, U32, I32, U64, I64, BF16 -> Type.Int;
        };
    }

    private int number(FlatBufferBuilder schema) {
        return switch (dtype) {
            case F16 -> FloatingPoint.createFloatingPoint(schema, Precision.HALF);
            case F32 -> FloatingPoint.createFloatingPoint(schema, Precision.SINGLE);
            case F64 -> FloatingPoint.createFloatingPoint(schema, Precision.DOUBLE);
            case BOOL, I8, I16, I32, I64 -> Int.createInt(schema, 8 * dtype.bytes(), true);
            case U8, U16, U32, U64, BF16 -> Int.createInt(schema, 8 * dtype.bytes(), false);
        };
    }
}
