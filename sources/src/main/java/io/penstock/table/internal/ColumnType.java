package io.penstock.table.internal;

import io.penstock.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the values of a column are.
 *
 * @param name  of the column
 * @param dtype of an element
 * @param lists how many lists are around a value: 0 for one value a row
 * @param bytes whether a value is itself a list of bytes
 */
public record ColumnType(String name, DType dtype, int lists, boolean bytes) {

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
        boolean floats = dtype == DType.F32 || dtype == DType.F64 || dtype == DType.F16;
        if (depth() > lists || floats) {
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
