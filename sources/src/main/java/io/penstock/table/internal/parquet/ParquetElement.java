package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import io.penstock.table.internal.ColumnBuilder;
import io.penstock.tensor.DType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.Type;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/**
 * How a value of Parquet becomes an element: numbers as they are, decimals as the nearest {@code f64}, dates and times
 * as numbers of their unit, texts as bytes. The INT96 of old files is a time, and becomes nanoseconds since 1970.
 *
 * @param bytes  whether values are bytes, {@code u8[n]}
 * @param stored how it is read from a page, if it is a number whose bits are those that are stored
 */
record ParquetElement(DType dtype, boolean bytes, @Nullable Stored stored, Adding adding) {

    private static final long JULIAN_DAY_OF_1970 = 2_440_588;
    private static final long NANOS_A_DAY = 86_400_000_000_000L;
    private static final int INT96_BYTES = 12;
    private static final long EXACT = 1L << 53;
    private static final int EXACT_SCALE = 22;

    /** Adds the current value of a reader. */
    @FunctionalInterface
    interface Adding {
        void add(ColumnReader reader, ColumnBuilder column);
    }

    /**
     * How a number is stored in a page.
     *
     * @param width of one that is stored as it is, in bytes; 0 if it is less than one
     */
    record Stored(int width, Bits bits) {}

    /** Reads the bits of a number from a page. */
    @FunctionalInterface
    interface Bits {
        long of(ValuesReader page);
    }

    static ParquetElement of(SchemaElement element) {
        Type type = Objects.requireNonNull(element.getType(), "a column has a type");
        int scale = decimalScale(element);
        if (scale >= 0) {
            return decimal(type, scale);
        }
        return switch (type) {
            case BOOLEAN ->
                new ParquetElement(
                        DType.BOOL,
                        false,
                        new Stored(0, page -> page.readBoolean() ? 1 : 0),
                        (reader, column) -> column.add(reader.getBoolean() ? 1 : 0));
            case INT32 ->
                new ParquetElement(
                        small(element),
                        false,
                        new Stored(Integer.BYTES, ValuesReader::readInteger),
                        (reader, column) -> column.add(reader.getInteger()));
            case INT64 ->
                new ParquetElement(
                        is(element, ConvertedType.UINT_64) || unsigned(element) ? DType.U64 : DType.I64,
                        false,
                        new Stored(Long.BYTES, ValuesReader::readLong),
                        (reader, column) -> column.add(reader.getLong()));
            case INT96 ->
                new ParquetElement(DType.I64, false, null, (reader, column) -> column.add(nanos(reader.getBinary())));
            case FLOAT ->
                new ParquetElement(
                        DType.F32,
                        false,
                        new Stored(Float.BYTES, page -> Float.floatToRawIntBits(page.readFloat())),
                        (reader, column) -> column.add(Float.floatToRawIntBits(reader.getFloat())));
            case DOUBLE ->
                new ParquetElement(
                        DType.F64,
                        false,
                        new Stored(Double.BYTES, page -> Double.doubleToRawLongBits(page.readDouble())),
                        (reader, column) -> column.add(Double.doubleToRawLongBits(reader.getDouble())));
            case FIXED_LEN_BYTE_ARRAY ->
                isHalf(element)
                        ? new ParquetElement(
                                DType.F16, false, null, (reader, column) -> column.add(half(reader.getBinary())))
                        : texts();
            case BYTE_ARRAY -> texts();
        };
    }

    private static ParquetElement texts() {
        return new ParquetElement(
                DType.U8,
                true,
                null,
                (reader, column) -> column.add(reader.getBinary().toByteBuffer()));
    }

    private static ParquetElement decimal(Type type, int scale) {
        return new ParquetElement(
                DType.F64,
                false,
                null,
                switch (type) {
                    case INT32 -> (reader, column) -> column.add(decimal(reader.getInteger(), scale));
                    case INT64 -> (reader, column) -> column.add(decimal(reader.getLong(), scale));
                    case BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY ->
                        (reader, column) ->
                                column.add(decimal(reader.getBinary().getBytesUnsafe(), scale));
                    default -> throw new FormatException("a decimal cannot be a " + type);
                });
    }

    private static long decimal(byte[] unscaled, int scale) {
        if (unscaled.length == 0) {
            throw new FormatException("a decimal has no bytes");
        }
        return decimal(new BigInteger(unscaled), scale);
    }

    private static long decimal(long unscaled, int scale) {
        return Math.abs(unscaled) <= EXACT && scale <= EXACT_SCALE // both are exact, so the quotient is the nearest
                ? Double.doubleToRawLongBits(unscaled / Math.pow(10, scale))
                : decimal(BigInteger.valueOf(unscaled), scale);
    }

    private static long decimal(BigInteger unscaled, int scale) {
        return Double.doubleToRawLongBits(new BigDecimal(unscaled, scale).doubleValue());
    }

    private static long nanos(Binary value) {
        ByteBuffer bytes = fixed(value, INT96_BYTES);
        try {
            long day = bytes.getInt(Long.BYTES) - JULIAN_DAY_OF_1970;
            return Math.addExact(Math.multiplyExact(day, NANOS_A_DAY), bytes.getLong(0));
        } catch (ArithmeticException e) {
            throw new FormatException("an INT96 time is not within nanoseconds of 64 bits since 1970", e);
        }
    }

    private static short half(Binary value) {
        return fixed(value, Short.BYTES).getShort(0);
    }

    private static ByteBuffer fixed(Binary value, int length) {
        ByteBuffer bytes = value.toByteBuffer().slice().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() != length) {
            throw new FormatException("a value must have %d bytes, has %d".formatted(length, bytes.remaining()));
        }
        return bytes;
    }

    private static boolean isHalf(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        if (logical == null || !logical.isSetFLOAT16()) {
            return false;
        }
        if (element.getType_length() != Short.BYTES) {
            throw new FormatException("a half float must have 2 bytes, has " + element.getType_length());
        }
        return true;
    }

    private static DType small(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        boolean known = logical != null && logical.isSetINTEGER();
        int bits = known ? logical.getINTEGER().getBitWidth() : 0;
        if (bits == 8 || is(element, ConvertedType.INT_8) || is(element, ConvertedType.UINT_8)) {
            return unsigned(element) || is(element, ConvertedType.UINT_8) ? DType.U8 : DType.I8;
        }
        if (bits == 16 || is(element, ConvertedType.INT_16) || is(element, ConvertedType.UINT_16)) {
            return unsigned(element) || is(element, ConvertedType.UINT_16) ? DType.U16 : DType.I16;
        }
        return unsigned(element) || is(element, ConvertedType.UINT_32) ? DType.U32 : DType.I32;
    }

    private static boolean unsigned(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        return logical != null
                && logical.isSetINTEGER()
                && !logical.getINTEGER().isIsSigned();
    }

    /** What a date or a time counts; empty for other values. */
    static String unit(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        TimeUnit unit = logical == null
                ? null
                : logical.isSetTIMESTAMP()
                        ? logical.getTIMESTAMP().getUnit()
                        : logical.isSetTIME() ? logical.getTIME().getUnit() : null;
        ConvertedType old = element.getConverted_type();
        if (element.getType() == Type.INT96 || unit != null && unit.isSetNANOS()) {
            return "ns";
        }
        if (unit != null && unit.isSetMICROS()
                || old == ConvertedType.TIMESTAMP_MICROS
                || old == ConvertedType.TIME_MICROS) {
            return "µs";
        }
        if (unit != null || old == ConvertedType.TIMESTAMP_MILLIS || old == ConvertedType.TIME_MILLIS) {
            return "ms";
        }
        return logical != null && logical.isSetDATE() || old == ConvertedType.DATE ? "days" : "";
    }

    private static boolean is(SchemaElement element, ConvertedType type) {
        return element.getConverted_type() == type;
    }

    /** The digits behind the point; -1 if it is no decimal. */
    private static int decimalScale(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        boolean known = logical != null && logical.isSetDECIMAL();
        if (!known && !is(element, ConvertedType.DECIMAL)) {
            return -1;
        }
        int scale = known ? logical.getDECIMAL().getScale() : element.getScale();
        if (scale < 0 || scale > 1000) {
            throw new FormatException("a decimal cannot have %d digits behind the point".formatted(scale));
        }
        return scale;
    }
}
