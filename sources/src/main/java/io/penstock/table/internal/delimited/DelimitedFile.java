package io.penstock.table.internal.delimited;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.internal.Thrown;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.internal.TextStart;
import io.penstock.store.internal.Waiting;
import io.penstock.store.unpack.Unpacker;
import io.penstock.stream.Execution;
import io.penstock.table.TableOptions;
import io.penstock.table.internal.ColumnType;
import io.penstock.table.internal.CommonColumns;
import io.penstock.table.internal.MemoryBudget;
import io.penstock.table.internal.TableFile;
import io.penstock.table.internal.TableGroup;
import io.penstock.tensor.DType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A file of CSV or JSON lines: where its groups of records lie, and the chosen columns of a group at a time. */
public final class DelimitedFile implements TableFile {

    private static final int MAX_HEADER = 16 << 20;
    private static final String RULES = "groups 1";

    private final String name;
    private final StoreFile file;
    private final RecordGroups groups;
    private final List<String> names;
    private final List<ColumnType> columns;
    private final RowReader rows;
    private final TableOptions options;

    private DelimitedFile(
            String name,
            StoreFile file,
            RecordGroups groups,
            List<String> names,
            List<ColumnType> columns,
            RowReader rows,
            TableOptions options) {
        this.name = name;
        this.file = file;
        this.groups = groups;
        this.names = names;
        this.columns = columns;
        this.rows = rows;
        this.options = options;
    }

    /**
     * Finds the records of a CSV file, which blocks; of tabs, if its name says so.
     * @param index  the folder for what is found and for decompressed files; null to keep it in memory
     * @param wanted columns; all if empty
     */
    public static DelimitedFile openCsv(
            StoreFiles files, StoreEntry entry, @Nullable Path index, List<String> wanted, TableOptions options) {
        String plain = entry.key().replaceFirst("\\.(gz|zst|zstd|zz|zlib)$", "");
        RecordSyntax syntax = plain.endsWith(".tsv") ? RecordSyntax.TSV : RecordSyntax.CSV;
        String name = files.place(entry);
        StoreFile file = unpacker(index).unpack(files.store(), entry);
        RecordGroups groups = groups(files, entry, file, syntax, index);
        try {
            List<String> header = header(file, groups, syntax, name);
            List<ColumnType> columns = CsvRows.columns(header, wanted, options);
            return new DelimitedFile(name, file, groups, header, columns, CsvRows.of(syntax, header, columns), options);
        } catch (FormatException | CellFault e) {
            throw new FormatException("%s: %s".formatted(name, e.getMessage()), e);
        }
    }

    /**
     * Finds the records of a file of JSON lines, which blocks.
     * @param index  the folder for what is found and for decompressed files; null to keep it in memory
     * @param wanted fields; at least one
     */
    public static DelimitedFile openJson(
            StoreFiles files, StoreEntry entry, @Nullable Path index, List<String> wanted, TableOptions options) {
        StoreFile file = unpacker(index).unpack(files.store(), entry);
        RecordGroups groups = groups(files, entry, file, RecordSyntax.JSON_LINES, index);
        List<ColumnType> columns = new ArrayList<>();
        for (String each : wanted) {
            columns.add(type(each, options));
        }
        return new DelimitedFile(files.place(entry), file, groups, wanted, columns, new JsonRows(columns), options);
    }

    private static Unpacker unpacker(@Nullable Path index) {
        return index == null ? Unpacker.inMemory() : Unpacker.into(index);
    }

    /** The type of a column as it is stated; text if it is not. */
    static ColumnType type(String name, TableOptions options) {
        DType stated = options.types().get(name);
        if (stated == null && options.fills().containsKey(name)) {
            throw new FormatException(
                    "column %s is text, as no type is stated: say what it is, as in %s:float=0".formatted(name, name));
        }
        if (stated == DType.U64) {
            throw new FormatException("column %s cannot be u64; say i64, or u32".formatted(name));
        }
        DType dtype = stated == null ? DType.U8 : stated;
        ColumnType type = new ColumnType(name, dtype, options.lists(name), dtype == DType.U8);
        Double fill = options.fillOf(name);
        String refusal = fill == null ? null : type.refuses(fill);
        if (refusal != null) {
            throw new FormatException(refusal);
        }
        return type;
    }

    private static RecordGroups groups(
            StoreFiles files, StoreEntry entry, StoreFile file, RecordSyntax syntax, @Nullable Path index) {
        String name = files.place(entry);
        KeptGroups kept = index == null
                ? null
                : new KeptGroups(
                        index,
                        SampleKey.of(RULES, syntax.name(), name),
                        SampleKey.of(
                                RULES,
                                syntax.name(),
                                name,
                                Long.toString(entry.size()),
                                Long.toString(entry.version())),
                        file.size());
        RecordGroups known = kept == null ? null : kept.read();
        if (known != null) {
            return known;
        }
        try (var input = file.input()) {
            RecordGroups found = RecordGroups.scan(input, syntax, name);
            if (kept != null) {
                kept.write(found);
            }
            return found;
        }
    }

    private static List<String> header(StoreFile file, RecordGroups groups, RecordSyntax syntax, String name) {
        if (groups.header() == 0) {
            throw new FormatException("it has no header: it is empty");
        }
        if (groups.header() > MAX_HEADER) {
            throw new FormatException("its header has %d bytes, the max is %d".formatted(groups.header(), MAX_HEADER));
        }
        byte[] bytes = bytes(Waiting.forValue(file.read(0, (int) groups.header())));
        CsvCells cells = new CsvCells(syntax, bytes, TextStart.markBytes(bytes, bytes.length, name), 1);
        return cells.next() ? cells.texts() : List.of();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    @Override
    public List<ColumnType> columns() {
        return columns;
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public List<Integer> groups() {
        return Arrays.stream(groups.rows()).boxed().toList();
    }

    @Override
    public Mono<TableGroup> read(int group, CommonColumns common) {
        return Mono.defer(() -> {
            MemoryBudget budget = new MemoryBudget(options.maxGroupBytes());
            long start = groups.offsets()[group];
            long length = groups.offsets()[group + 1] - start;
            budget.take(length);
            return file.read(start, (int) length)
                    .publishOn(Execution.standard().workers())
                    .map(Thrown.function(bytes -> decode(group, bytes(bytes), common, budget)));
        });
    }

    private TableGroup decode(int group, byte[] bytes, CommonColumns common, MemoryBudget budget) {
        long line = groups.lines()[group];
        int wanted = groups.rows()[group];
        try {
            RowSink sink = new RowSink(columns, options, budget, wanted, line);
            rows.read(bytes, line, sink);
            if (sink.isFull()) {
                return sink.build(common);
            }
            throw new FormatException("fewer than %d rows came: the file has changed".formatted(wanted));
        } catch (FormatException e) {
            throw new FormatException("%s, in the lines from %d: %s".formatted(name, line, e.getMessage()), e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
