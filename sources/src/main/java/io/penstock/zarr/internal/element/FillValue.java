package io.penstock.zarr.internal.element;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.store.internal.Utf8;
import io.penstock.tensor.DType;
import io.penstock.zarr.ZarrFormat;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The value of elements of chunks that are not stored: its little-endian bytes, or UTF-8 for texts of any length. A
 * fill value of {@code null} leaves them undefined; here they are zero, as in other readers.
 */
public final class FillValue {

    /** The numbers that NumPy reads; bounded, since digits take time. */
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d{1,40}(\\.\\d{1,40})?([eE][+-]?\\d{1,3})?");

    /** No integer has more, and one of a large exponent would take memory. */
    private static final int MAX_DIGITS = 20;

    private static final Charset UTF_32LE = Charset.forName("UTF-32LE");

    private final byte[] bytes;
    private final boolean zero;

    public FillValue(byte[] bytes) {
        this.bytes = bytes;
        this.zero = Arrays.equals(bytes, new byte[bytes.length]);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Whether new arrays are filled with it already. */
    boolean isZero() {
        return zero;
    }

    public static FillValue of(JsonNode value, ElementType type, ZarrFormat format) {
        try {
            return new FillValue(type.isText() ? text(value) : fixed(value, type, format));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw wrong(value, type);
        }
    }

    private static byte[] text(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return new byte[0];
        }
        return whole(value).getBytes(StandardCharsets.UTF_8);
    }

    private static String whole(JsonNode value) {
        String text = value.isTextual() ? value.textValue() : MetadataJson.sorted(value);
        if (Utf8.hasHalfPair(text)) {
            throw new IllegalArgumentException("half of a surrogate pair");
        }
        return text;
    }

    private static byte[] fixed(JsonNode value, ElementType type, ZarrFormat format) {
        byte[] bytes = new byte[type.width()];
        if (value.isMissingNode() || value.isNull()) {
            return bytes;
        }
        return switch (type.kind()) {
            case NUMBER -> numbers(value, type, bytes);
            case UTF32 -> padded(value.isTextual() ? whole(value).getBytes(UTF_32LE) : zero(value, type), type);
            case PADDED, RAW -> padded(raw(value, type, format), type);
            case TEXT -> throw new IllegalStateException("texts have no width");
        };
    }

    private static byte[] raw(JsonNode value, ElementType type, ZarrFormat format) {
        if (value.isTextual() && format == ZarrFormat.V2) {
            return Base64.getDecoder().decode(value.textValue());
        }
        if (value.isArray()) {
            byte[] bytes = new byte[value.size()];
            for (int i = 0; i < bytes.length; i++) {
                long one = MetadataJson.integer(value.get(i), "fill_value");
                if (one < 0 || one > 0xFF) {
                    throw wrong(value, type);
                }
                bytes[i] = (byte) one;
            }
            return bytes;
        }
        return zero(value, type);
    }

    private static byte[] zero(JsonNode value, ElementType type) {
        if (!value.isNumber() || value.doubleValue() != 0) {
            throw wrong(value, type);
        }
        return new byte[0];
    }

    private static byte[] padded(byte[] bytes, ElementType type) {
        if (bytes.length > type.width()) {
            throw new FormatException("fill value has %d bytes, elements of type %s have %d"
                    .formatted(bytes.length, type.name(), type.width()));
        }
        return Arrays.copyOf(bytes, type.width());
    }

    private static byte[] numbers(JsonNode value, ElementType type, byte[] bytes) {
        ByteBuffer into = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        NumberType number = new NumberType(type.dtype(), false);
        if (type.lanes() == 1) {
            one(value, type, number, into, 0);
        } else if (value.isArray() && value.size() == type.lanes()) {
            for (int i = 0; i < type.lanes(); i++) {
                one(value.get(i), type, number, into, i * number.bytes());
            }
        } else {
            one(value, type, number, into, 0); // a real number for a complex one
        }
        return bytes;
    }

    private static void one(JsonNode value, ElementType type, NumberType number, ByteBuffer into, int at) {
        if (value.isTextual()) {
            word(value, type, number, into, at);
        } else if (value.isBoolean()) {
            number.putLong(into, at, value.booleanValue() ? 1 : 0);
        } else if (!value.isNumber()) {
            throw wrong(value, type);
        } else if (number.isFloat()) {
            number.putDouble(into, at, value.doubleValue());
        } else {
            number.putLong(into, at, inRange(value.decimalValue(), value, type, number));
        }
    }

    private static void word(JsonNode value, ElementType type, NumberType number, ByteBuffer into, int at) {
        String word = value.textValue();
        if (word.startsWith("0x") && word.length() == 2 + 2 * number.bytes()) {
            byte[] big = HexFormat.of().parseHex(word, 2, word.length());
            for (int i = 0; i < big.length; i++) {
                into.put(at + i, big[big.length - 1 - i]);
            }
        } else if (number.isFloat()) {
            number.putDouble(
                    into,
                    at,
                    switch (word) {
                        case "NaN" -> Double.NaN;
                        case "Infinity" -> Double.POSITIVE_INFINITY;
                        case "-Infinity" -> Double.NEGATIVE_INFINITY;
                        default -> decimal(value, type).doubleValue();
                    });
        } else if (word.equals("NaT") && number.dtype() == DType.I64) {
            number.putLong(into, at, Long.MIN_VALUE);
        } else if (number.dtype() != DType.BOOL) {
            number.putLong(into, at, inRange(decimal(value, type), value, type, number));
        } else {
            throw wrong(value, type);
        }
    }

    /** A number that was written as a text, which some writers do. */
    private static BigDecimal decimal(JsonNode value, ElementType type) {
        if (!NUMBER.matcher(value.textValue()).matches()) {
            throw wrong(value, type);
        }
        return new BigDecimal(value.textValue());
    }

    private static long inRange(BigDecimal decimal, JsonNode value, ElementType type, NumberType number) {
        if (decimal.precision() - decimal.scale() > MAX_DIGITS) {
            throw wrong(value, type);
        }
        BigInteger integer = decimal.toBigIntegerExact();
        boolean unsigned = switch (number.dtype()) {
            case BOOL, U8, U16, U32, U64 -> true;
            default -> false;
        };
        int bits = 8 * number.bytes();
        boolean fits = unsigned ? integer.signum() >= 0 && integer.bitLength() <= bits : integer.bitLength() < bits;
        if (!fits) {
            throw wrong(value, type);
        }
        return integer.longValue();
    }

    private static FormatException wrong(JsonNode value, ElementType type) {
        return new FormatException("fill value %s is no %s".formatted(MetadataJson.brief(value), type.name()));
    }
}
