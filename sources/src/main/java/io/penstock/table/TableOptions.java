package io.penstock.table;

import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import io.penstock.tensor.DType;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is read of a table, and within which memory. */
public final class TableOptions {

    private static final int MAX_LISTS = 8;
    private static final TableOptions STANDARD = new TableOptions(
            List.of(),
            Map.of(),
            Map.of(),
            null,
            Map.of(),
            HeapLimit.of(1L << 30, 2),
            HeapLimit.of(Integer.MAX_VALUE, 2));

    private final List<String> columns;
    private final Map<String, DType> types;
    private final Map<String, Integer> lists;
    private final @Nullable Double fill;
    private final Map<String, Double> fills;
    private final long cacheBytes;
    private final long maxGroupBytes;

    private TableOptions(
            List<String> columns,
            Map<String, DType> types,
            Map<String, Integer> lists,
            @Nullable Double fill,
            Map<String, Double> fills,
            long cacheBytes,
            long maxGroupBytes) {
        this.columns = columns;
        this.types = types;
        this.lists = lists;
        this.fill = fill;
        this.fills = fills;
        this.cacheBytes = cacheBytes;
        this.maxGroupBytes = maxGroupBytes;
        if (cacheBytes < 0 || maxGroupBytes < 1) {
            throw new IllegalArgumentException("bytes of row groups must be positive, were %d in the cache and %d"
                    .formatted(cacheBytes, maxGroupBytes));
        }
    }

    /** All columns, no nulls, 1 GiB of decoded row groups and 2 GiB a group, or a quarter of the heap. */
    public static TableOptions standard() {
        return STANDARD;
    }

    /** These columns alone, in this order; the name of a group of columns stands for all in it. */
    public TableOptions columns(String... names) {
        return new TableOptions(List.of(names), types, lists, fill, fills, cacheBytes, maxGroupBytes);
    }

    /** With a value for null numbers. A null text or list becomes an empty one. */
    public TableOptions fillNulls(double value) {
        return new TableOptions(columns, types, lists, value, fills, cacheBytes, maxGroupBytes);
    }

    /** With a value for the nulls of one column. */
    public TableOptions fillNulls(String column, double value) {
        return new TableOptions(columns, types, lists, fill, with(fills, column, value), cacheBytes, maxGroupBytes);
    }

    /** With the type of a column in a file that does not say it, such as CSV: {@code u8} is text. */
    public TableOptions type(String column, DType dtype) {
        return new TableOptions(columns, with(types, column, dtype), lists, fill, fills, cacheBytes, maxGroupBytes);
    }

    /**
     * With lists around the values of a column in a file that does not say it: 1 for vectors, 2 for lists of lists.
     * @throws IllegalArgumentException if there are more than {@value #MAX_LISTS} levels
     */
    public TableOptions lists(String column, int levels) {
        if (levels < 0 || levels > MAX_LISTS) {
            throw new IllegalArgumentException(
                    "column %s must have 0 to %d levels of lists, was %d".formatted(column, MAX_LISTS, levels));
        }
        return new TableOptions(columns, types, with(lists, column, levels), fill, fills, cacheBytes, maxGroupBytes);
    }

    /** The chosen columns; none for all. */
    public List<String> columns() {
        return columns;
    }

    /** The types that are stated, by column. */
    public Map<String, DType> types() {
        return types;
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
        return Collections.unmodifiableMap(more);
    }

    /** Whether something is said about nulls. */
    public boolean fillsNulls() {
        return fill != null || !fills.isEmpty();
    }

    /** Whether it is said what nulls of this very column become. */
    public boolean fillsNulls(String column) {
        return fills.containsKey(column);
    }

    /** What is said about nulls, for keys. */
    String nullWords() {
        return "nulls %s %s".formatted(fill, fills);
    }

    /** What is read, for keys. */
    String words() {
        String words = "columns %s, types %s, %s".formatted(columns, types, nullWords());
        return lists.isEmpty() ? words : words + ", lists " + lists;
    }

    /** What nulls of a column become; null to refuse them. */
    public @Nullable Double fillOf(String column) {
        return fills.getOrDefault(column, fill);
    }

    /** The bytes of decoded row groups that stay in memory. */
    public long cacheBytes() {
        return cacheBytes;
    }

    /** The bytes that one row group may take while it is decoded; its numbers count twice. */
    public long maxGroupBytes() {
        return maxGroupBytes;
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
