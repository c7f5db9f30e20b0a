package io.penstock.table;

import io.penstock.internal.HeapLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is read of a table, and within which memory.
 *
 * @param columns       their names in the order of the fields; the name of a group stands for all in it; empty for all
 * @param fill          what a null number becomes; a null text or list becomes an empty one. Null to refuse nulls
 * @param cacheBytes    of decoded row groups that stay in memory
 * @param maxGroupBytes that one row group may take, decoded
 */
public record TableOptions(List<String> columns, @Nullable Double fill, long cacheBytes, long maxGroupBytes) {

    private static final TableOptions STANDARD =
            new TableOptions(List.of(), null, HeapLimit.of(1L << 30, 2), HeapLimit.of(Integer.MAX_VALUE, 2));

    public TableOptions {
        columns = List.copyOf(columns);
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
        return new TableOptions(List.of(names), fill, cacheBytes, maxGroupBytes);
    }

    /** With a value for nulls. */
    public TableOptions fillNulls(double value) {
        return new TableOptions(columns, value, cacheBytes, maxGroupBytes);
    }

    /** With another size of the cache of decoded row groups. */
    public TableOptions cacheBytes(long bytes) {
        return new TableOptions(columns, fill, bytes, maxGroupBytes);
    }

    /** With another limit for one row group. */
    public TableOptions maxGroupBytes(long bytes) {
        return new TableOptions(columns, fill, cacheBytes, bytes);
    }
}
