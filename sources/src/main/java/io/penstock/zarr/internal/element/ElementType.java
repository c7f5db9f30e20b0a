package io.penstock.zarr.internal.element;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import java.util.List;

/**
 * The type of the elements of an array.
 *
 * @param name  as the metadata says it: {@code <f4}, {@code float32}, {@code <U11}
 * @param kind  how they are told apart and shown
 * @param dtype of the tensors; {@code u8} for all that is no number
 * @param lanes how many of these an element has: 2 for complex numbers, the number of bytes for text and raw ones; 0
 *              where elements are texts of any length
 * @param bigEndian whether v2 stores it so
 */
public record ElementType(String name, Kind kind, DType dtype, int lanes, boolean bigEndian) {

    public enum Kind {
        NUMBER,
        /** Bytes that mean something to others. */
        RAW,
        /** Text of one length in UTF-32, filled up with zeros. */
        UTF32,
        /** Bytes of one length, filled up with zeros. */
        PADDED,
        /** Texts or byte strings of any length. */
        TEXT
    }

    private static final int LONGEST = 1 << 24;

    private static final List<String> UNITS =
            List.of("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic");

    public static ElementType v2(JsonNode dtype) {
        if (dtype.isArray()) {
            return new ElementType(dtype.toString(), Kind.RAW, DType.U8, structBytes(dtype), false);
        }
        String name = MetadataJson.text(dtype, "dtype");
        if (NumberType.isV2(name)) {
            NumberType number = NumberType.of(name);
            return new ElementType(name, Kind.NUMBER, number.dtype(), 1, number.bigEndian());
        }
        boolean big = name.startsWith(">");
        String bare = name.isEmpty() ? "" : name.substring(1);
        if (bare.equals("c8") || bare.equals("c16")) {
            return new ElementType(name, Kind.NUMBER, bare.equals("c8") ? DType.F32 : DType.F64, 2, big);
        }
        if (bare.startsWith("M8") || bare.startsWith("m8")) {
            return new ElementType(name, Kind.NUMBER, DType.I64, 1, big);
        }
        if (bare.equals("O")) {
            return text(name);
        }
        int count = count(bare, 1);
        if (count >= 0 && "SVU".indexOf(bare.charAt(0)) >= 0) {
            return switch (bare.charAt(0)) {
                case 'U' -> new ElementType(name, Kind.UTF32, DType.U8, 4 * count, big);
                case 'S' -> new ElementType(name, Kind.PADDED, DType.U8, count, false);
                default -> new ElementType(name, Kind.RAW, DType.U8, count, false);
            };
        }
        throw new FormatException("data type is not supported: \"%s\"".formatted(name));
    }

    private static int count(String name, int from) {
        boolean digits = name.length() > from
                && name.length() <= from + 8
                && name.substring(from).chars().allMatch(c -> c >= '0' && c <= '9');
        int count = digits ? Integer.parseInt(name.substring(from)) : -1;
        return count > 0 && count <= LONGEST / 4 ? count : -1;
    }

    /** The bytes of {@code [["a", "<i4"], ["b", "<f8", [2]]]}: packed, as NumPy's descr says padding explicitly. */
    private static int structBytes(JsonNode fields) {
        long bytes = 0;
        for (JsonNode field : fields) {
            if (!field.isArray() || field.size() < 2 || field.size() > 3) {
                throw new FormatException(
                        "structured data type must list fields [name, type]: " + MetadataJson.brief(fields));
            }
            ElementType type = v2(field.get(1));
            if (type.isText()) {
                throw new FormatException("data type is not supported: objects in " + MetadataJson.brief(fields));
            }
            long count = 1;
            if (field.size() == 3) {
                count = MetadataJson.shape(field.get(2), "shape of a field").elements();
            }
            bytes += Math.min(count, LONGEST) * type.width();
            if (count > LONGEST || bytes > LONGEST) {
                throw new FormatException(
                        "elements must have at most %d bytes: %s".formatted(LONGEST, MetadataJson.brief(fields)));
            }
        }
        if (bytes == 0) {
            throw new FormatException("structured data type has no bytes: " + MetadataJson.brief(fields));
        }
        return (int) bytes;
    }

    public static ElementType v3(JsonNode dataType) {
        // an extension may be written {"name": …} as well
        String name = MetadataJson.text(dataType.isObject() ? dataType.path("name") : dataType, "name of data_type");
        if (name.equals("numpy.datetime64") || name.equals("numpy.timedelta64")) {
            return time(name, dataType.path("configuration"));
        }
        if (dataType.isObject() && !dataType.path("configuration").isEmpty()) {
            throw unsupported(name);
        }
        if (NumberType.isV3(name)) {
            return new ElementType(name, Kind.NUMBER, NumberType.of(name).dtype(), 1, false);
        }
        if (name.equals("complex64") || name.equals("complex128")) {
            return new ElementType(name, Kind.NUMBER, name.equals("complex64") ? DType.F32 : DType.F64, 2, false);
        }
        if (name.equals("string") || name.equals("bytes") || name.equals("variable_length_bytes")) {
            return text(name);
        }
        int bits = name.startsWith("r") ? count(name, 1) : -1;
        if (bits > 0 && bits % 8 == 0) {
            return new ElementType(name, Kind.RAW, DType.U8, bits / 8, false);
        }
        throw unsupported(name);
    }

    /** An instant or a duration, {@code i64} as in v2; named as there: {@code numpy.datetime64[10ns]}. */
    private static ElementType time(String name, JsonNode config) {
        String unit = MetadataJson.text(config.path("unit"), "unit of " + name);
        if (!UNITS.contains(unit)) {
            throw new FormatException("\"unit\" of %s must be one of %s, was \"%s\"".formatted(name, UNITS, unit));
        }
        int scale = MetadataJson.integer(config, "scale_factor", 1, 1, Integer.MAX_VALUE);
        return new ElementType(
                "%s[%s%s]".formatted(name, scale == 1 ? "" : scale, unit), Kind.NUMBER, DType.I64, 1, false);
    }

    private static FormatException unsupported(String name) {
        return new FormatException("data type is not supported: extension type \"%s\"".formatted(name));
    }

    private static ElementType text(String name) {
        return new ElementType(name, Kind.TEXT, DType.U8, 0, false);
    }

    /** The same elements as numbers of another type, which is what a filter stores. */
    public ElementType storedAs(NumberType number) {
        return new ElementType(number.dtype().toString(), Kind.NUMBER, number.dtype(), 1, false);
    }

    public boolean isText() {
        return kind == Kind.TEXT;
    }

    /** Whether regions are given as lines of text. */
    public boolean isLines() {
        return kind == Kind.TEXT || kind == Kind.UTF32 || kind == Kind.PADDED;
    }

    /** The bytes of an element; 0 where each has its own number. */
    public int width() {
        return lanes * dtype.bytes();
    }

    /** The bytes that swap places between the byte orders. */
    public int swapBytes() {
        return kind == Kind.UTF32 ? 4 : dtype.bytes();
    }
}
