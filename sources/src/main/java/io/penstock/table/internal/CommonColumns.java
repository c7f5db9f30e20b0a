package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import io.penstock.table.TableOptions;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table whose files may have them in other orders, narrower, or not at all: by name, each of a type
 * that holds the numbers of every file, in the order of the first file. In a file that lacks one it is null.
 */
public record CommonColumns(List<ColumnType> types, TableOptions options) {

    /**
     * Those of some files.
     * @param wanted columns and groups of columns; all if empty
     * @throws FormatException if two files have types that no number type holds, or one lacks a column whose nulls
     *     become nothing
     */
    public static CommonColumns of(List<? extends TableFile> files, List<String> wanted, TableOptions options) {
        Map<String, TableFile> first = new LinkedHashMap<>();
        Map<String, ColumnType> types = new LinkedHashMap<>();
        for (TableFile file : files) {
            for (ColumnType type : file.columns()) {
                ColumnType before = types.putIfAbsent(type.name(), type);
                first.putIfAbsent(type.name(), file);
                if (before != null && !before.equals(type)) {
                    types.put(type.name(), both(before, type, first.get(type.name()), file));
                }
            }
        }
        List<ColumnType> ordered = new ArrayList<>(types.values());
        if (!wanted.isEmpty()) {
            ordered.sort(Comparator.comparingInt(type -> place(type, wanted)));
        }
        CommonColumns common = new CommonColumns(List.copyOf(ordered), options);
        files.forEach(file -> common.requireIn(file, first, wanted));
        return common;
    }

    private static int place(ColumnType type, List<String> wanted) {
        int at = 0;
        while (!type.isIn(wanted.get(at))) {
            at++;
        }
        return at;
    }

    private static ColumnType both(ColumnType a, ColumnType b, TableFile first, TableFile other) {
        DType wide = a.lists() == b.lists() && a.bytes() == b.bytes() ? wide(a.dtype(), b.dtype()) : null;
        String unit = a.unit().isEmpty() ? b.unit() : a.unit();
        if (wide == null || !b.unit().isEmpty() && !b.unit().equals(unit)) {
            throw new FormatException(
                    "column %s is %s in %s, and %s in %s; write all files alike, or choose other columns"
                            .formatted(a.name(), a.words(), first, b.words(), other));
        }
        return new ColumnType(a.name(), wide, a.lists(), a.bytes(), unit);
    }

    /** The narrowest type that holds all values of both; null if there is none. */
    private static @Nullable DType wide(DType a, DType b) {
        for (DType wide : ColumnType.WIDENING) {
            if (ColumnType.holds(wide, a) && ColumnType.holds(wide, b)) {
                return wide;
            }
        }
        return null;
    }

    private void requireIn(TableFile file, Map<String, TableFile> first, List<String> wanted) {
        for (String name : wanted) {
            if (types.stream().noneMatch(type -> type.isIn(name))) {
                throw new FormatException("%s: there is no column \"%s\", only %s".formatted(file, name, file.names()));
            }
        }
        for (ColumnType type : types) {
            Double fill = options.fillOf(type.name());
            if (fill == null
                    && file.columns().stream().noneMatch(own -> own.name().equals(type.name()))) {
                throw new FormatException(
                        ("%s has no column %s, which %s has; say what nulls become (fillNulls, or %s=0 or "
                                        + "=NaN in a flag), or choose other columns")
                                .formatted(file, type.name(), first.get(type.name()), type.name()));
            }
            String refused = fill == null ? null : type.refuses(fill);
            if (refused != null) {
                throw new FormatException(refused);
            }
        }
    }

    /** The columns of a row group of a file as those of the table. */
    public List<DecodedColumn> of(List<DecodedColumn> own, int rows, MemoryBudget budget) {
        if (own.stream().map(DecodedColumn::type).toList().equals(types)) {
            return own;
        }
        return types.stream()
                .map(type -> own.stream()
                        .filter(column -> column.type().name().equals(type.name()))
                        .findFirst()
                        .map(column -> widened(column, type, budget))
                        .orElseGet(() -> nulls(type, rows, budget)))
                .toList();
    }

    private static DecodedColumn widened(DecodedColumn column, ColumnType type, MemoryBudget budget) {
        DType narrow = column.type().dtype();
        if (narrow == type.dtype()) {
            return column;
        }
        int count = column.data().length / narrow.bytes();
        Tensor values = Tensor.of(narrow, Shape.of(count), ByteBuffer.wrap(column.data()));
        ColumnBuilder wide = new ColumnBuilder(new ColumnType(type.name(), type.dtype(), 0, false), null, budget);
        wide.expect((long) count * type.dtype().bytes());
        boolean isFloat = ColumnType.isFloat(type.dtype());
        for (int i = 0; i < count; i++) {
            wide.add(isFloat ? ColumnBuilder.bits(type.dtype(), values.doubleAt(i)) : values.longAt(i));
        }
        budget.give(column.data().length);
        return new DecodedColumn(type, wide.build().data(), column.offsets(), column.nulls());
    }

    private DecodedColumn nulls(ColumnType type, int rows, MemoryBudget budget) {
        ColumnBuilder nulls = new ColumnBuilder(type, Objects.requireNonNull(options.fillOf(type.name())), budget);
        for (int row = 0; row < rows; row++) {
            nulls.row();
            nulls.missingRow();
        }
        return nulls.build();
    }
}
