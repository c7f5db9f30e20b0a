package io.penstock.mds;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.element.NumberType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the values of a column are stored.
 *
 * @param dtype of the elements; null where each value says it
 * @param shape of all values; null where each value says it
 */
record MdsEncoding(
        Kind kind, @Nullable DType dtype, @Nullable Shape shape) {

    /** Ways to store a value. */
    enum Kind {
        /** As it is. */
        BYTES,
        /** The elements, after what is not known of dtype and shape. */
        ARRAY,
        /** A number as text. */
        DIGITS,
        /** Width, height, and what Pillow calls a mode, then pixels. */
        PIXELS,
        /** Several files: their number, their lengths, their bytes. */
        FILES,
        /** The same after four bytes without a meaning. */
        FILE_LIST
    }

    private static final String ARRAY_PREFIX = "ndarray:";
    private static final int MAX_DIGITS = 1024;

    /**
     * Reads the name of one.
     * @throws FormatException if it cannot be read
     */
    static MdsEncoding parse(String column, String text) {
        DType scalar = text.equals("int") ? DType.I64 : number(text);
        if (scalar != null) {
            return new MdsEncoding(Kind.ARRAY, scalar, Shape.SCALAR);
        }
        if (text.equals("ndarray") || text.startsWith(ARRAY_PREFIX)) {
            return array(column, text, text.substring(Math.min(text.length(), ARRAY_PREFIX.length())));
        }
        return switch (text) {
            case "bytes", "str", "json", "jpeg", "png" -> new MdsEncoding(Kind.BYTES, DType.U8, null);
            case "str_int" -> new MdsEncoding(Kind.DIGITS, DType.I64, Shape.SCALAR);
            case "str_float", "str_decimal" -> new MdsEncoding(Kind.DIGITS, DType.F64, Shape.SCALAR);
            case "pil" -> new MdsEncoding(Kind.PIXELS, null, null);
            case "jpeg_array", "jpegarray" -> new MdsEncoding(Kind.FILES, DType.U8, null);
            case "list[jpeg]", "list[png]" -> new MdsEncoding(Kind.FILE_LIST, DType.U8, null);
            case "pkl" ->
                throw refused(
                        column, text, "reading pickles would run what they say; write json, str or ndarray instead");
            default -> throw refused(column, text, "it is not known");
        };
    }

    /** The numbers that MDS has: neither truth values nor bfloat16. */
    private static @Nullable DType number(String name) {
        return name.startsWith("b") ? null : NumberType.ofWord(name);
    }

    /** By its number of bits, and what is added to it: 0 for unsigned, 1 for signed ones, 2 for floats. */
    private static DType ofCode(int code) {
        String[] prefixes = {"uint", "int", "float"};
        int kind = code & 7;
        DType dtype = kind < prefixes.length ? number(prefixes[kind] + (code - kind)) : null;
        if (dtype == null) {
            throw new FormatException("has an array of type %d, which is not known".formatted(code));
        }
        return dtype;
    }

    private static FormatException refused(String column, String encoding, String why) {
        return new FormatException("column \"%s\" is stored as %s, which cannot be read: %s; or choose other columns"
                .formatted(column, encoding, why));
    }

    private static MdsEncoding array(String column, String text, String rest) {
        String[] parts = rest.isEmpty() ? new String[0] : rest.split(":", -1);
        DType dtype = parts.length == 0 ? null : number(parts[0]);
        if (parts.length > 2 || parts.length > 0 && dtype == null) {
            throw refused(column, text, "it should be ndarray, ndarray:DTYPE or ndarray:DTYPE:SHAPE");
        }
        if (parts.length < 2) {
            return new MdsEncoding(Kind.ARRAY, dtype, null);
        }
        if (!parts[1].matches("\\d{1,9}(,\\d{1,9}){0,62}")) {
            throw refused(column, text, "its shape should be numbers, as in 3,224,224");
        }
        long[] dims =
                Arrays.stream(parts[1].split(",")).mapToLong(Long::parseLong).toArray();
        return new MdsEncoding(Kind.ARRAY, dtype, shape(dims));
    }

    private static Shape shape(long[] dims) {
        try {
            return Shape.of(dims);
        } catch (IllegalArgumentException e) {
            throw new FormatException("has no possible shape: " + e.getMessage(), e);
        }
    }

    /** Whether a value is needed to say what its dtype and axes are. */
    boolean varies() {
        return kind == Kind.PIXELS || kind == Kind.ARRAY && (dtype == null || shape == null);
    }

    /** Whether lengths follow in a field of their own. */
    boolean isList() {
        return kind == Kind.FILES || kind == Kind.FILE_LIST;
    }

    /**
     * Adds a value, and the lengths of its parts if it is a list.
     * @param bytes of the value alone
     * @throws FormatException if they are no such value
     */
    void decode(ByteBuffer bytes, List<Tensor> values) {
        ByteBuffer in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        switch (kind) {
            case BYTES -> values.add(Tensor.of(DType.U8, Shape.of(in.remaining()), in));
            case ARRAY -> values.add(array(in));
            case DIGITS -> values.add(number(in));
            case PIXELS -> values.add(pixels(in));
            case FILES, FILE_LIST -> files(in, values);
        }
    }

    private Tensor array(ByteBuffer in) {
        DType type = dtype;
        if (type == null) {
            type = ofCode(unsigned(in, Byte.BYTES));
        }
        Shape whole = shape;
        if (whole == null) {
            int head = unsigned(in, Byte.BYTES);
            long[] dims = new long[head >>> 2];
            for (int axis = 0; axis < dims.length; axis++) {
                dims[axis] = length(in, 1 << (head & 3));
            }
            whole = shape(dims);
        }
        return exactly(type, whole, in);
    }

    private static Tensor exactly(DType type, Shape shape, ByteBuffer in) {
        if (in.remaining() % type.bytes() != 0 || shape.elements() != in.remaining() / type.bytes()) {
            throw new FormatException("has %d bytes for %s%s".formatted(in.remaining(), type, shape));
        }
        return Tensor.of(type, shape, in.slice());
    }

    private static long length(ByteBuffer in, int bytes) {
        if (bytes < Long.BYTES) {
            return bytes == Integer.BYTES ? unsigned(in, bytes) & 0xFFFF_FFFFL : unsigned(in, bytes);
        }
        need(in, bytes);
        return in.getLong();
    }

    /** A number of 1, 2 or 4 bytes; those of 4 bytes may become negative. */
    private static int unsigned(ByteBuffer in, int bytes) {
        need(in, bytes);
        return switch (bytes) {
            case Byte.BYTES -> in.get() & 0xFF;
            case Short.BYTES -> in.getShort() & 0xFFFF;
            default -> in.getInt();
        };
    }

    private static void need(ByteBuffer in, long bytes) {
        if (bytes < 0 || in.remaining() < bytes) {
            throw new FormatException("is cut off: %d bytes are needed, %d are left".formatted(bytes, in.remaining()));
        }
    }

    private Tensor number(ByteBuffer in) {
        if (in.remaining() > MAX_DIGITS) {
            throw new FormatException("has a number of %d digits".formatted(in.remaining()));
        }
        String digits = StandardCharsets.ISO_8859_1.decode(in).toString();
        ByteBuffer bits = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try {
            if (dtype == DType.I64) {
                bits.putLong(0, Long.parseLong(digits));
            } else {
                bits.putDouble(0, real(digits));
            }
        } catch (NumberFormatException e) {
            throw new FormatException("has \"%s\" where a number should be".formatted(digits), e);
        }
        return Tensor.of(dtype == DType.I64 ? DType.I64 : DType.F64, Shape.SCALAR, bits);
    }

    /** As Python writes one. */
    private static double real(String digits) {
        return switch (digits) {
            case "nan", "NaN" -> Double.NaN;
            case "inf", "Infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(digits);
        };
    }

    private static Tensor pixels(ByteBuffer in) {
        long width = length(in, Integer.BYTES);
        long height = length(in, Integer.BYTES);
        long named = length(in, Integer.BYTES);
        need(in, named);
        String mode = StandardCharsets.ISO_8859_1
                .decode(in.slice(in.position(), (int) named))
                .toString();
        in.position(in.position() + (int) named);
        return switch (mode) {
            case "L", "P" -> exactly(DType.U8, shape(new long[] {height, width}), in);
            case "LA", "La", "PA" -> exactly(DType.U8, shape(new long[] {height, width, 2}), in);
            case "RGB", "YCbCr", "LAB", "HSV" -> exactly(DType.U8, shape(new long[] {height, width, 3}), in);
            case "RGBA", "RGBa", "RGBX", "CMYK" -> exactly(DType.U8, shape(new long[] {height, width, 4}), in);
            case "I;16" -> exactly(DType.U16, shape(new long[] {height, width}), in);
            case "I" -> exactly(DType.I32, shape(new long[] {height, width}), in);
            case "F" -> exactly(DType.F32, shape(new long[] {height, width}), in);
            default ->
                throw new FormatException("has pixels of mode \"%s\", which cannot be read"
                        .formatted(mode.substring(0, Math.min(mode.length(), 16))));
        };
    }

    private void files(ByteBuffer in, List<Tensor> values) {
        if (kind == Kind.FILE_LIST) {
            need(in, Integer.BYTES);
            in.getInt();
        }
        long count = length(in, Integer.BYTES);
        need(in, count * Integer.BYTES);
        int[] lengths = new int[(int) count];
        long all = 0;
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = in.getInt();
            all += lengths[i] & 0xFFFF_FFFFL;
        }
        if (all != in.remaining()) {
            throw new FormatException(
                    "has %d files that claim %d bytes, %d are left".formatted(count, all, in.remaining()));
        }
        values.add(Tensor.of(DType.U8, Shape.of(in.remaining()), in.slice()));
        values.add(Tensor.ofInts(lengths, lengths.length));
    }
}
