package io.penstock.table.internal.arrow;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.flatbuf.UnionMode;
import org.jspecify.annotations.Nullable;

/**
 * A field of a schema: how its values lie in the buffers of a batch. Two of one shape are different nodes.
 * @see <a href="https://arrow.apache.org/docs/format/Columnar.html">The columnar format</a>
 */
final class ArrowNode {

    private static final int MAX_DEPTH = 32;
    private static final int MAX_NODES = 100_000;

    /** In the order of the format's own units. */
    private static final List<String> UNITS = List.of("s", "ms", "µs", "ns", "days");

    private static final int DAYS = 4;

    /** How values lie. */
    enum Kind {
        NUMBER,
        BOOL,
        DECIMAL,
        BYTES,
        FIXED_BYTES,
        VIEW,
        LIST,
        FIXED_LIST,
        STRUCT,
        /** Numbers of values in a dictionary, which is the one child. */
        DICTIONARY,
        /** Known only as far as to find what comes after it. */
        OTHER
    }

    final String name;
    final Kind kind;
    /** The bytes of a number, an offset or fixed bytes; the elements of a fixed list. */
    final int width;
    /** Of an element of a column; null where there are children. */
    final @Nullable DType dtype;
    /**
     * The digits of a decimal after its point; the buffers of what is not read; the unit of a time, from 1; whether
     * indices are signed.
     */
    final int detail;
    /** Of a dictionary. */
    final long id;

    final List<ArrowNode> children;

    private ArrowNode(
            String name, Kind kind, int width, @Nullable DType dtype, int detail, long id, List<ArrowNode> children) {
        this.name = name;
        this.kind = kind;
        this.width = width;
        this.dtype = dtype;
        this.detail = detail;
        this.id = id;
        this.children = children;
    }

    /** The fields of a schema. */
    static List<ArrowNode> of(Schema schema) {
        if (schema.endianness() != 0) {
            throw new FormatException("it is big-endian, which is not supported");
        }
        int[] left = {MAX_NODES};
        List<ArrowNode> nodes = new ArrayList<>();
        for (int i = 0; i < schema.fieldsLength(); i++) {
            nodes.add(of(schema.fields(i), 0, left));
        }
        return List.copyOf(nodes);
    }

    private static ArrowNode of(Field field, int depth, int[] left) {
        if (depth > MAX_DEPTH || left[0]-- == 0) {
            throw new FormatException(
                    "its schema has more than %d levels or %d fields".formatted(MAX_DEPTH, MAX_NODES));
        }
        List<ArrowNode> children = new ArrayList<>();
        for (int i = 0; i < field.childrenLength(); i++) {
            children.add(of(field.children(i), depth + 1, left));
        }
        String name = field.name() == null ? "" : field.name();
        ArrowNode values = plain(name, field, List.copyOf(children));
        DictionaryEncoding dictionary = field.dictionary();
        if (dictionary == null) {
            return values;
        }
        Int index = dictionary.indexType();
        int width = index == null ? Integer.BYTES : bytes(index.bitWidth());
        int signed = index == null || index.isSigned() ? 1 : 0;
        return new ArrowNode(name, Kind.DICTIONARY, width, null, signed, dictionary.id(), List.of(values));
    }

    private static ArrowNode plain(String name, Field field, List<ArrowNode> children) {
        return switch (field.typeType()) {
            case Type.Int -> {
                Int type = (Int) typed(field.type(new Int()), name);
                int bytes = bytes(type.bitWidth());
                yield number(name, bytes, whole(bytes, type.isSigned()));
            }
            case Type.FloatingPoint ->
                switch (((FloatingPoint) typed(field.type(new FloatingPoint()), name)).precision()) {
                    case Precision.HALF -> number(name, Short.BYTES, DType.F16);
                    case Precision.SINGLE -> number(name, Float.BYTES, DType.F32);
                    default -> number(name, Double.BYTES, DType.F64);
                };
            case Type.Bool -> new ArrowNode(name, Kind.BOOL, 0, DType.BOOL, 0, 0, children);
            case Type.Date -> {
                boolean days = ((Date) typed(field.type(new Date()), name)).unit() == DateUnit.DAY;
                yield days ? time(name, Integer.BYTES, DAYS) : time(name, Long.BYTES, TimeUnit.MILLISECOND);
            }
            case Type.Time -> {
                Time type = (Time) typed(field.type(new Time()), name);
                yield time(name, bytes(type.bitWidth()), type.unit());
            }
            case Type.Timestamp ->
                time(name, Long.BYTES, ((Timestamp) typed(field.type(new Timestamp()), name)).unit());
            case Type.Duration -> time(name, Long.BYTES, ((Duration) typed(field.type(new Duration()), name)).unit());
            case Type.Decimal -> {
                Decimal type = (Decimal) typed(field.type(new Decimal()), name);
                yield new ArrowNode(name, Kind.DECIMAL, wide(type.bitWidth()), DType.F64, type.scale(), 0, children);
            }
            case Type.Utf8, Type.Binary -> new ArrowNode(name, Kind.BYTES, Integer.BYTES, DType.U8, 0, 0, children);
            case Type.LargeUtf8, Type.LargeBinary ->
                new ArrowNode(name, Kind.BYTES, Long.BYTES, DType.U8, 0, 0, children);
            case Type.Utf8View, Type.BinaryView -> new ArrowNode(name, Kind.VIEW, 16, DType.U8, 0, 0, children);
            case Type.FixedSizeBinary -> {
                int width = ((FixedSizeBinary) typed(field.type(new FixedSizeBinary()), name)).byteWidth();
                yield new ArrowNode(name, Kind.FIXED_BYTES, positive(width, name), DType.U8, 0, 0, children);
            }
            case Type.List, Type.Map -> list(name, Kind.LIST, Integer.BYTES, children);
            case Type.LargeList -> list(name, Kind.LIST, Long.BYTES, children);
            case Type.FixedSizeList -> {
                int size = ((FixedSizeList) typed(field.type(new FixedSizeList()), name)).listSize();
                yield list(name, Kind.FIXED_LIST, positive(size, name), children);
            }
            case Type.Struct_ -> new ArrowNode(name, Kind.STRUCT, 0, null, 0, 0, children);
            default -> new ArrowNode(name, Kind.OTHER, 0, null, buffers(field), 0, children);
        };
    }

    private static ArrowNode number(String name, int bytes, DType dtype) {
        return new ArrowNode(name, Kind.NUMBER, bytes, dtype, 0, 0, List.of());
    }

    private static ArrowNode time(String name, int bytes, int unit) {
        return new ArrowNode(name, Kind.NUMBER, bytes, whole(bytes, true), unit + 1, 0, List.of());
    }

    /** What a date or a time counts; empty for other values. */
    String unit() {
        return kind == Kind.NUMBER && detail > 0 && detail <= UNITS.size() ? UNITS.get(detail - 1) : "";
    }

    private static ArrowNode list(String name, Kind kind, int width, List<ArrowNode> children) {
        if (children.size() != 1) {
            throw new FormatException("list %s has %d fields within instead of one".formatted(name, children.size()));
        }
        return new ArrowNode(name, kind, width, null, 0, 0, children);
    }

    private static <T> T typed(@Nullable T type, String name) {
        if (type == null) {
            throw new FormatException("field %s has no type".formatted(name));
        }
        return type;
    }

    private static int positive(int value, String name) {
        if (value < 0) {
            throw new FormatException("field %s claims a size of %d".formatted(name, value));
        }
        return value;
    }

    private static int bytes(int bits) {
        if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
            throw new FormatException("a number claims %d bits".formatted(bits));
        }
        return bits / Byte.SIZE;
    }

    private static int wide(int bits) {
        if (bits != 32 && bits != 64 && bits != 128 && bits != 256) {
            throw new FormatException("a decimal claims %d bits".formatted(bits));
        }
        return bits / Byte.SIZE;
    }

    private static DType whole(int bytes, boolean signed) {
        return switch (bytes) {
            case Byte.BYTES -> signed ? DType.I8 : DType.U8;
            case Short.BYTES -> signed ? DType.I16 : DType.U16;
            case Integer.BYTES -> signed ? DType.I32 : DType.U32;
            default -> signed ? DType.I64 : DType.U64;
        };
    }

    /** How many buffers a type has that is not read. */
    private static int buffers(Field field) {
        return switch (field.typeType()) {
            case Type.Null, Type.RunEndEncoded -> 0;
            case Type.Union -> ((Union) typed(field.type(new Union()), "")).mode() == UnionMode.Dense ? 2 : 1;
            case Type.ListView, Type.LargeListView -> 3;
            case Type.Interval -> 2;
            default ->
                throw new FormatException("field %s has the unknown type %d".formatted(field.name(), field.typeType()));
        };
    }

    /** How many buffers values have in a batch, those of the children not counted. */
    int bufferCount() {
        return switch (kind) {
            case OTHER -> detail;
            case STRUCT, FIXED_LIST -> 1;
            case BYTES -> 3;
            default -> 2;
        };
    }
}
