package io.penstock.table.internal.delimited;

import io.penstock.table.internal.ColumnType;
import io.penstock.tensor.DType;
import io.penstock.zarr.internal.element.HalfFloat;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Set;

/** What the text of a number means, as the bits of a dtype. */
final class CellText {

    /** What stands for no number, as pandas and Arrow read it too. */
    private static final Set<String> NULLS = Set.of("", "na", "n/a", "#n/a", "null");

    private static final int LONGEST_NUMBER = 500;
    private static final int SHOWN = 40;

    private CellText() {}

    /** Whether there is no number. */
    static boolean isNull(String text) {
        return text.length() <= 4 && NULLS.contains(text.toLowerCase(Locale.ROOT));
    }

    /** The bits of a number. */
    static long bits(ColumnType column, String text) {
        try {
            return text.length() > LONGEST_NUMBER ? refuse(column, text) : parse(column, text);
        } catch (ArithmeticException | NumberFormatException e) {
            return refuse(column, text);
        }
    }

    private static long refuse(ColumnType column, String text) {
        String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
        throw CellFault.of(column.name(), "\"%s\" is no %s".formatted(shown, column.dtype()));
    }

    private static long parse(ColumnType column, String text) {
        return switch (column.dtype()) {
            case BOOL ->
                switch (text.toLowerCase(Locale.ROOT)) {
                    case "true", "1" -> 1;
                    case "false", "0" -> 0;
                    default -> refuse(column, text);
                };
            case F64 -> Double.doubleToRawLongBits(Double.parseDouble(floating(text)));
            case F32, F16, BF16 -> ofFloat(column.dtype(), Float.parseFloat(floating(text)));
            default -> whole(column, text);
        };
    }

    /** The bits of a floating-point number. */
    static long ofFloat(DType dtype, float value) {
        return switch (dtype) {
            case F32 -> Float.floatToRawIntBits(value);
            case F16 -> HalfFloat.toHalf(value);
            default -> Float.floatToRawIntBits(value) >>> 16;
        };
    }

    private static long whole(ColumnType column, String text) {
        boolean plain = text.length() < 19 && text.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
        long value = plain
                ? Long.parseLong(text)
                : new BigDecimal(text).longValueExact(); // pandas writes 8.0 where others are missing
        return inRange(column, value);
    }

    /** The same value, if the column's dtype has it. */
    static long inRange(ColumnType column, long value) {
        if (column.dtype() != DType.I64 && column.refuses((double) value) != null) {
            throw CellFault.of(column.name(), "%d is no %s".formatted(value, column.dtype()));
        }
        return value;
    }

    /** The same text, if it is a decimal number: the JDK takes {@code 1d} and {@code 0x1p3} too. */
    private static String floating(String text) {
        switch (text.toLowerCase(Locale.ROOT)) {
            case "nan", "-nan", "+nan" -> {
                return "NaN";
            }
            case "inf", "+inf", "infinity", "+infinity" -> {
                return "Infinity";
            }
            case "-inf", "-infinity" -> {
                return "-Infinity";
            }
            default -> {}
        }
        for (int i = 0; i < text.length(); i++) {
            if ("0123456789+-.eE".indexOf(text.charAt(i)) < 0) {
                throw new NumberFormatException(text);
            }
        }
        return text;
    }
}
