package io.penstock.table.internal.delimited;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.internal.TextStart;
import io.penstock.store.internal.Waiting;
import io.penstock.store.unpack.Unpacker;
import io.penstock.table.TableOptions;
import io.penstock.table.internal.ColumnType;
import io.penstock.table.internal.FileRange;
import io.penstock.table.internal.MemoryBudget;
import io.penstock.table.internal.TableFile;
import io.penstock.tensor.DType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file of CSV or JSON lines: where its groups of records lie, and the chosen columns of a group at a time. */
public final class DelimitedFile extends TableFile {

    private static final int MAX_HEADER = 16 << 20;
    private static final String RULES = "groups 1";

    private final RecordGroups groups;
    private final List<String> names;
    private final RecordSyntax syntax;

    private DelimitedFile(
            String name,
            StoreFile file,
            RecordGroups groups,
            List<String> names,
            List<ColumnType> columns,
            RecordSyntax syntax,
            TableOptions options) {
        super(name, file, columns, Arrays.stream(groups.rows()).boxed().toList(), options);
        this.groups = groups;
        this.names = names;
        this.syntax = syntax;
    }

    /**
     * Finds the records of a CSV file, which blocks; of tabs, if its name says so.
     * @param index  the folder for what is found and for decompressed files; null to keep it in memory
     * @param wanted columns; all if empty
     */
    public static DelimitedFile openCsv(
            StoreFiles files, StoreEntry entry, @Nullable Path index, List<String> wanted, TableOptions options) {
        String plain = entry.key().replaceFirst("\\.(gz|zst|zstd|zz|zlib)$", "");
        return open(files, entry, index, plain.endsWith(".tsv") ? RecordSyntax.TSV : RecordSyntax.CSV, wanted, options);
    }

    /**
     * Finds the records of a file of JSON lines, which blocks.
     * @param index  the folder for what is found and for decompressed files; null to keep it in memory
     * @param wanted fields; at least one
     */
    public static DelimitedFile openJson(
            StoreFiles files, StoreEntry entry, @Nullable Path index, List<String> wanted, TableOptions options) {
        return open(files, entry, index, RecordSyntax.JSON_LINES, wanted, options);
    }

    private static DelimitedFile open(
            StoreFiles files,
            StoreEntry entry,
            @Nullable Path index,
            RecordSyntax syntax,
            List<String> wanted,
            TableOptions options) {
        String name = files.place(entry);
        Unpacker unpacker = index == null ? Unpacker.inMemory() : Unpacker.into(index);
        StoreFile file = unpacker.unpack(files.store(), entry);
        RecordGroups groups = groups(files, entry, file, syntax, index);
        return named(name, () -> {
            List<String> names = syntax.hasCells() ? header(file, groups, syntax, name) : wanted;
            List<ColumnType> columns = syntax.hasCells()
                    ? CsvRows.columns(names, wanted, options)
                    : wanted.stream().map(each -> type(each, options)).toList();
            return new DelimitedFile(name, file, groups, names, columns, syntax, options);
        });
    }

    /** The type of a column as it is stated; text if it is not. */
    static ColumnType type(String name, TableOptions options) {
        DType stated = options.types().get(name);
        if (stated == null && options.fillsNulls(name)) {
            throw new FormatException(
                    "column %s is text, as no type is stated: say what it is (type, or %s:float=0 in a flag)"
                            .formatted(name, name));
        }
        if (stated == DType.U64) {
            throw new FormatException("column %s cannot be u64; say i64, or u32".formatted(name));
        }
        DType dtype = stated == null ? DType.U8 : stated;
        return new ColumnType(name, dtype, options.lists(name), dtype == DType.U8);
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
        Records records = new Records(syntax, 1);
        int at = TextStart.markBytes(bytes, bytes.length, name);
        int start;
        do {
            start = at;
            at = end(records, bytes, start);
        } while (records.isBlank() && at < bytes.length);
        try {
            List<byte[]> cells = new CsvCells(syntax).of(bytes, start, contentEnd(bytes, start, at));
            List<String> names = cells.stream().map(CsvCells::text).toList();
            CsvCells.requireUtf8(cells, names);
            return names;
        } catch (CellFault e) {
            throw new FormatException("its header, line %d: %s".formatted(records.line(), e.getMessage()), e);
        }
    }

    /** Where the record ends that begins at a place. */
    private static int end(Records records, byte[] bytes, int from) {
        if (!records.endsIn(bytes, from, bytes.length, 0)) {
            records.endAt(bytes.length);
        }
        return (int) records.end();
    }

    /** Where the content of a record ends, before a line feed and a carriage return. */
    private static int contentEnd(byte[] bytes, int from, int end) {
        int to = bytes[end - 1] == '\n' ? end - 1 : end;
        return to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    protected String place(int group) {
        return "in the lines from " + groups.lines()[group];
    }

    @Override
    protected List<FileRange> ranges(int group, MemoryBudget budget) {
        long start = groups.offsets()[group];
        long length = groups.offsets()[group + 1] - start;
        budget.take(length);
        return List.of(new FileRange(start, (int) length));
    }

    @Override
    protected Decoded decode(int group, List<ByteBuffer> came, MemoryBudget budget) {
        byte[] bytes = bytes(came.get(0));
        long line = groups.lines()[group];
        int wanted = groups.rows()[group];
        return at(place(group), () -> {
            RowSink sink = new RowSink(columns(), options, budget, wanted, line);
            RecordReader reader = syntax.hasCells() ? new CsvRows(syntax, names, columns()) : new JsonRows(columns());
            Records records = new Records(syntax, line);
            for (int at = 0; at < bytes.length; ) {
                int from = at;
                int end = end(records, bytes, from);
                if (!records.isBlank()) {
                    int to = contentEnd(bytes, from, end);
                    sink.row(records.line(), () -> reader.read(bytes, from, to, sink));
                }
                at = end;
            }
            if (!sink.isFull()) {
                throw new FormatException("fewer than %d rows came: the file has changed".formatted(wanted));
            }
            return new Decoded(sink.columns(), sink.lines());
        });
    }
}
