package io.penstock.zarr.internal.element;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A number as it lies in encoded bytes: a tensor's dtype, and whether its most significant byte comes first. */
public record NumberType(DType dtype, boolean bigEndian) {

    /** {@code uint8}, {@code float32}, {@code bool}. */
    private static final Map<String, DType> WORDS =
            Arrays.stream(DType.values()).collect(Collectors.toUnmodifiableMap(NumberType::word, Function.identity()));

    /** {@code u1}, {@code f4}, {@code b1}. */
    private static final Map<String, DType> CODES = Arrays.stream(DType.values())
            .filter(dtype -> dtype != DType.BF16)
            .collect(Collectors.toUnmodifiableMap(
                    dtype -> dtype.toString().charAt(0) + "" + dtype.bytes(), Function.identity()));

    private static String word(DType dtype) {
        return dtype.toString()
                .replaceFirst("^bf", "bfloat")
                .replaceFirst("^u", "uint")
                .replaceFirst("^i", "int")
                .replaceFirst("^f", "float");
    }

    /** By its name in NumPy and in v3: {@code float32}; null if it is no number. */
    public static @Nullable DType ofWord(String name) {
        return WORDS.get(name);
    }

    /** By its code in NumPy, without its byte order: {@code f4}; null if it is no number. */
    public static @Nullable DType ofCode(String code) {
        return CODES.get(code);
    }

    /** The type of a filter, which is named as in NumPy ({@code <i4}) or as in v3 ({@code int32}). */
    public static NumberType of(String name) {
        DType word = ofWord(name);
        if (word != null) {
            return new NumberType(word, false);
        }
        boolean ordered = !name.isEmpty() && "<>|=".indexOf(name.charAt(0)) >= 0;
        DType dtype = ofCode((ordered ? name.substring(1) : name).toLowerCase(Locale.ROOT));
        if (dtype == null) {
            throw new FormatException("data type of a filter must be a number, was \"%s\"".formatted(name));
        }
        return new NumberType(dtype, ordered && name.charAt(0) == '>');
    }

    static boolean isV3(String name) {
        return WORDS.containsKey(name);
    }

    static boolean isV2(String name) {
        return name.length() == 3 && "<>|=".indexOf(name.charAt(0)) >= 0 && CODES.containsKey(name.substring(1));
    }

    public int bytes() {
        return dtype.bytes();
    }

    public boolean isFloat() {
        return dtype == DType.F16 || dtype == DType.BF16 || dtype == DType.F32 || dtype == DType.F64;
    }

    /** An integer from a buffer of this byte order. */
    public long getLong(ByteBuffer from, int at) {
        return switch (dtype) {
            case BOOL, U8 -> from.get(at) & 0xFFL;
            case I8 -> from.get(at);
            case U16 -> from.getShort(at) & 0xFFFFL;
            case I16 -> from.getShort(at);
            case U32 -> from.getInt(at) & 0xFFFF_FFFFL;
            case I32 -> from.getInt(at);
            case U64, I64 -> from.getLong(at);
            case F16, BF16, F32, F64 -> (long) getDouble(from, at);
        };
    }

    public double getDouble(ByteBuffer from, int at) {
        return switch (dtype) {
            case F16 -> HalfFloat.fromHalf(from.getShort(at));
            case BF16 -> Float.intBitsToFloat(from.getShort(at) << 16);
            case F32 -> from.getFloat(at);
            case F64 -> from.getDouble(at);
            case U64 -> unsigned(from.getLong(at));
            default -> (double) getLong(from, at);
        };
    }

    private static double unsigned(long bits) {
        return bits >= 0 ? (double) bits : (double) ((bits >>> 1) | (bits & 1)) * 2;
    }

    /** An integer to a buffer of this byte order, cut to the width as NumPy does. */
    public void putLong(ByteBuffer to, int at, long value) {
        switch (dtype) {
            case BOOL, U8, I8 -> to.put(at, (byte) value);
            case U16, I16 -> to.putShort(at, (short) value);
            case U32, I32 -> to.putInt(at, (int) value);
            case U64, I64 -> to.putLong(at, value);
            case F16, BF16, F32, F64 -> putDouble(to, at, (double) value);
        }
    }

    public void putDouble(ByteBuffer to, int at, double value) {
        switch (dtype) {
            case F16 -> to.putShort(at, HalfFloat.toHalf((float) value));
            case BF16 -> to.putShort(at, HalfFloat.toBrain((float) value));
            case F32 -> to.putFloat(at, (float) value);
            case F64 -> to.putDouble(at, value);
            default -> putLong(to, at, (long) value);
        }
    }
}
