package io.penstock.table;

import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import io.penstock.tensor.DType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is read of a table, and within which memory.
 *
 * @param columns       their names in the order of the fields; the name of a group stands for all in it; empty for all
 * @param types         of columns in files that do not say them, such as CSV: {@code u8} is text
 * @param lists         how many lists are around a value of a column, in files that do not say it: 1 for a vector
 * @param fill          what a null number becomes; a null text or list becomes an empty one. Null to refuse nulls
 * @param fills         the same for some columns
 * @param cacheBytes    of decoded row groups that stay in memory
 * @param maxGroupBytes that one row group may take while it is decoded, its numbers twice
 */
public record TableOptions(
        List<String> columns,
        Map<String, DType> types,
        Map<String, Integer> lists,
        @Nullable Double fill,
        Map<String, Double> fills,
        long cacheBytes,
        long maxGroupBytes) {

    private static final int MAX_LISTS = 8;
    private static final TableOptions STANDARD = new TableOptions(
            List.of(),
            Map.of(),
            Map.of(),
            null,
            Map.of(),
            HeapLimit.of(1L << 30, 2),
            HeapLimit.of(Integer.MAX_VALUE, 2));

    public TableOptions {
        columns = List.copyOf(columns);
        types = Map.copyOf(types);
        lists = Map.copyOf(lists);
        fills = Map.copyOf(fills);
        lists.forEach((column, levels) -> {
            if (levels < 0 || levels > MAX_LISTS) {
                throw new IllegalArgumentException(
                        "column %s must have 0 to %d levels of lists, was %d".formatted(column, MAX_LISTS, levels));
            }
        });
        if (cacheBytes < 0 || maxGroupBytes < 1) {
            throw new IllegalArgumentException("bytes of row groups must be positive, were %d in the cache and %d"
                    .formatted(cacheBytes, maxGroupBytes));
        }
    }

    /** All columns, no nulls, 1 GiB of decoded row groups and 2 GiB a group, or a quarter of the heap. */
    public static TableOptions standard() {
        return STANDARD;
    }

    /** These columns alone. */
    public TableOptions columns(String... names) {
        return new TableOptions(List.of(names), types, lists, fill, fills, cacheBytes, maxGroupBytes);
    }

    /** With a value for nulls. */
    public TableOptions fillNulls(double value) {
        return new TableOptions(columns, types, lists, value, fills, cacheBytes, maxGroupBytes);
    }

    /** With a value for the nulls of one column. */
    public TableOptions fillNulls(String column, double value) {
        return new TableOptions(columns, types, lists, fill, with(fills, column, value), cacheBytes, maxGroupBytes);
    }

    /** With the type of a column in a file that does not say it. */
    public TableOptions type(String column, DType dtype) {
        return new TableOptions(columns, with(types, column, dtype), lists, fill, fills, cacheBytes, maxGroupBytes);
    }

    /** With lists around the values of a column in a file that does not say it: 1 for vectors, 2 for lists of lists. */
    public TableOptions lists(String column, int levels) {
        return new TableOptions(columns, types, with(lists, column, levels), fill, fills, cacheBytes, maxGroupBytes);
    }

    /** How many lists are around the values of a column. */
    public int lists(String column) {
        return lists.getOrDefault(column, 0);
    }

    /** @throws FormatException if a type, lists or a fill are given for a column that is not one of these */
    void requireNamed(Collection<String> columns) {
        Stream.of(types, lists, fills)
                .flatMap(each -> each.keySet().stream())
                .filter(name -> !columns.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new FormatException(
                            ("there is no column \"%s\" whose type, lists or fill could be set, only %s; correct "
                                            + "its name, or choose it")
                                    .formatted(name, columns));
                });
    }

    private static <V> Map<String, V> with(Map<String, V> map, String key, V value) {
        Map<String, V> more = new TreeMap<>(map);
        more.put(key, value);
        return more;
    }

    /** What nulls of a column become; null to refuse them. */
    public @Nullable Double fillOf(String column) {
        return fills.getOrDefault(column, fill);
    }

    /** With another size of the cache of decoded row groups. */
    public TableOptions cacheBytes(long bytes) {
        return new TableOptions(columns, types, lists, fill, fills, bytes, maxGroupBytes);
    }

    /** With another limit for one row group. */
    public TableOptions maxGroupBytes(long bytes) {
        return new TableOptions(columns, types, lists, fill, fills, cacheBytes, bytes);
    }
}
