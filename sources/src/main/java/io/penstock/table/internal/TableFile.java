package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import io.penstock.internal.Thrown;
import io.penstock.store.StoreFile;
import io.penstock.stream.Execution;
import io.penstock.table.TableOptions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A file of a table, in groups of rows: a group is fetched, and decoded on the workers, within one budget of memory. */
public abstract class TableFile {

    protected final StoreFile file;
    protected final TableOptions options;
    private final String name;
    private final List<ColumnType> columns;
    private final List<Integer> groups;

    /**
     * What a group has.
     *
     * @param columns as they are in this file
     * @param lines   where the rows lie in a file of lines; null in other files
     */
    public record Decoded(List<DecodedColumn> columns, TableGroup.@Nullable Lines lines) {}

    /** @param groups how many rows each has */
    protected TableFile(
            String name, StoreFile file, List<ColumnType> columns, List<Integer> groups, TableOptions options) {
        this.name = name;
        this.file = file;
        this.columns = columns;
        this.groups = groups;
        this.options = options;
    }

    /** The columns that are read. */
    public final List<ColumnType> columns() {
        return columns;
    }

    /** The names of all columns that it has. */
    public abstract List<String> names();

    /** How many rows each group has. */
    public final List<Integer> groups() {
        return groups;
    }

    /** What a group is called in errors. */
    protected abstract String place(int group);

    /** The bytes that a group needs, taken from a budget. */
    protected abstract List<FileRange> ranges(int group, MemoryBudget budget);

    /** Decodes the bytes of each range, which are in arrays; the list may be changed. */
    protected abstract Decoded decode(int group, List<ByteBuffer> bytes, MemoryBudget budget);

    /** A group as the columns of its table. */
    public final Mono<TableGroup> read(int group, CommonColumns common) {
        return Mono.defer(() -> {
            MemoryBudget budget = new MemoryBudget(options.maxGroupBytes());
            return FileRange.read(file, ranges(group, budget))
                    .publishOn(Execution.standard().workers())
                    .map(Thrown.function(bytes -> {
                        int rows = groups.get(group);
                        Decoded decoded = decode(group, bytes, budget);
                        return at(place(group), () -> {
                            List<DecodedColumn> all = common.of(decoded.columns, rows, budget);
                            return new TableGroup(all, rows, decoded.lines, budget);
                        });
                    }));
        });
    }

    /** Names the place where something is wrong. */
    protected final <T> T at(String place, Supplier<T> work) {
        return named(name + ", " + place, work);
    }

    /** Names the file in which something is wrong. */
    protected static <T> T named(String name, Supplier<T> work) {
        try {
            return work.get();
        } catch (FormatException e) {
            throw new FormatException("%s: %s".formatted(name, e.getMessage()), e);
        }
    }

    protected static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    @Override
    public final String toString() {
        return name;
    }
}
