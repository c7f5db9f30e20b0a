package io.penstock.table.internal;

import io.penstock.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the values of a column are.
 *
 * @param name  of the column
 * @param dtype of an element
 * @param lists how many lists are around a value: 0 for one value a row
 * @param bytes whether a value is itself a list of bytes
 * @param unit  what a number counts, such as milliseconds since 1970; empty if the file does not say it
 */
public record ColumnType(String name, DType dtype, int lists, boolean bytes, String unit) {

    /** Types that hold the numbers of others, the narrowest first. */
    static final List<DType> WIDENING = List.of(
            DType.U8, DType.I8, DType.U16, DType.I16, DType.U32, DType.I32, DType.F16, DType.F32, DType.U64, DType.I64,
            DType.F64);

    /** A column whose numbers have no unit. */
    public ColumnType(String name, DType dtype, int lists, boolean bytes) {
        this(name, dtype, lists, bytes, "");
    }

    /** Whether a name is of this column or of a group that it is in. */
    public boolean isIn(String group) {
        return name.equals(group) || name.startsWith(group + ".");
    }

    /** Of columns of any kind those that are wanted by their names or their groups', in that order; all if none is. */
    public static <C> List<C> chosen(List<C> all, Function<C, ColumnType> type, List<String> wanted) {
        return wanted.isEmpty()
                ? all
                : wanted.stream()
                        .flatMap(name ->
                                all.stream().filter(column -> type.apply(column).isIn(name)))
                        .distinct()
                        .toList();
    }

    static boolean isFloat(DType dtype) {
        return dtype == DType.F64 || dtype == DType.F32 || dtype == DType.F16 || dtype == DType.BF16;
    }

    /** Whether one type has each number of another, exactly. */
    static boolean holds(DType wide, DType narrow) {
        if (wide == narrow) {
            return true;
        }
        if (narrow == DType.BOOL || wide == DType.BOOL || isFloat(narrow) && !isFloat(wide)) {
            return false;
        }
        boolean signed = narrow.name().startsWith("I") || isFloat(narrow);
        return digits(wide) >= digits(narrow) && !(signed && wide.name().startsWith("U"));
    }

    /** The bits of the largest number up to which a type has each whole one. */
    private static int digits(DType dtype) {
        return switch (dtype) {
            case F64 -> 53;
            case F32 -> 24;
            case F16 -> 11;
            case BF16 -> 8;
            case I8, I16, I32, I64 -> Byte.SIZE * dtype.bytes() - 1;
            default -> Byte.SIZE * dtype.bytes();
        };
    }

    /** For people: {@code text}, {@code i32}, {@code lists of i64 in ms}. */
    String words() {
        String value = bytes ? "text" : dtype.toString().toLowerCase(Locale.ROOT);
        return "lists of ".repeat(lists) + value + (unit.isEmpty() ? "" : " in " + unit);
    }

    /** The levels of lists, the bytes of a value included. */
    public int depth() {
        return lists + (bytes ? 1 : 0);
    }

    /**
     * The names of the fields of a row: a column of depth 2 or more is ragged. Its values come flat, then the lengths
     * of the inner lists, level by level.
     */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        names.add(name);
        for (int level = 2; level <= depth(); level++) {
            names.add(name + ".lengths" + (level == 2 ? "" : "." + (level - 1)));
        }
        return names;
    }

    /**
     * Why a number cannot stand for nulls here; null if it can.
     * @param fill the number
     */
    public @Nullable String refuses(double fill) {
        if (depth() > lists || isFloat(dtype)) {
            return null;
        }
        double min = switch (dtype) {
            case I8 -> Byte.MIN_VALUE;
            case I16 -> Short.MIN_VALUE;
            case I32 -> Integer.MIN_VALUE;
            case I64 -> Long.MIN_VALUE;
            default -> 0;
        };
        double max = switch (dtype) {
            case BOOL -> 1;
            case I8 -> Byte.MAX_VALUE;
            case I16 -> Short.MAX_VALUE;
            case I32 -> Integer.MAX_VALUE;
            case U8 -> 255;
            case U16 -> 65535;
            case U32 -> 4294967295.0;
            default -> 9.2e18;
        };
        return fill == Math.rint(fill) && fill >= min && fill <= max
                ? null
                : "nulls of column %s cannot become %s: it is %s".formatted(name, fill, dtype);
    }
}
