package io.penstock.table;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.PackedTensors;
import io.penstock.internal.PartNumbers;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.store.Store;
import io.penstock.store.internal.ChunkCache;
import io.penstock.store.internal.StoreFiles;
import io.penstock.table.internal.ColumnType;
import io.penstock.table.internal.CommonColumns;
import io.penstock.table.internal.Partitions;
import io.penstock.table.internal.TableFile;
import io.penstock.table.internal.TableGroup;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The rows of a table whose files have them in groups: Parquet, Arrow, and CSV or JSON lines by blocks of records.
 *
 * <p>A row group is read and decoded once for all rows in flight that need it, with the chosen columns alone, and stays
 * in memory within {@link TableOptions#cacheBytes}. A full shuffle reads a group for almost each row, so use
 * {@link io.penstock.order.Sampler#windowed}, with a window of a group's rows.
 *
 * <p>A number becomes a scalar, and text or bytes {@code u8[n]}. A list becomes a vector. A column of lists of lists,
 * or of texts, is ragged: the field has its values flat, and {@code NAME.lengths} the lengths of the inner lists. Structs
 * and maps become a field a member, with a point in its name. Decimals become the nearest {@code f64}. Dates, times and
 * timestamps become numbers in the unit of the file, INT96 in nanoseconds since 1970. A row with a null cannot be
 * loaded, unless {@link TableOptions#fillNulls} says what nulls become.
 *
 * <p>Files may have their columns in any order, as names tell them. A number is as wide as its widest file needs, if no
 * value changes by that: {@code i32} and {@code i64} are {@code i64}. A column that a file lacks is null there.
 *
 * <p>Opening reads each file's footer, eight at once, and blocks; loading never blocks. The key of a row is made of its
 * file's place, size and version, the options, and its number. Memory: the footers, the cache, the groups in flight.
 * @see <a href="https://parquet.apache.org/docs/file-format/">The Parquet format</a>
 */
public final class Table implements Dataset<Row>, AutoCloseable {

    private final TableFormat format;
    private final StoreFiles listing;
    private final List<Part> parts;
    private final List<Group> groups = new ArrayList<>();
    private final PartNumbers numbers;
    private final Partitions partitions;
    private final CommonColumns columns;
    private final RowSchema schema;
    private final PackedTensors.Layout layout;
    private final Fingerprint fingerprint;
    private final ChunkCache<TableGroup> cache;

    /** One file. */
    private record Part(String name, SampleKey key, List<String> state, TableFile file) {}

    /**
     * A row group.
     *
     * @param part  the number of its file
     * @param inPart its own number there
     * @param first the number there of its first row
     */
    private record Group(int part, int inPart, long first) {}

    private Table(
            TableFormat format,
            StoreFiles files,
            CommonColumns columns,
            Partitions partitions,
            List<TableFile> opened) {
        this.format = format;
        TableOptions options = columns.options();
        this.columns = columns;
        this.listing = files;
        this.partitions = partitions;
        String words = options.words();
        this.parts = IntStream.range(0, opened.size())
                .mapToObj(i -> {
                    var entry = files.entries().get(i);
                    String[] state = {
                        files.place(entry),
                        Long.toString(entry.size()),
                        Long.toString(entry.version()),
                        format.id(),
                        opened.get(i).columns().equals(columns.types()) ? words : words + ", as " + columns.types()
                    };
                    return new Part(entry.key(), SampleKey.of(state), files.state(entry), opened.get(i));
                })
                .toList();
        List<Integer> rows = new ArrayList<>();
        for (int part = 0; part < opened.size(); part++) {
            long first = 0;
            List<Integer> counts = opened.get(part).groups();
            for (int i = 0; i < counts.size(); i++) {
                groups.add(new Group(part, i, first));
                rows.add(counts.get(i));
                first += counts.get(i);
            }
        }
        this.numbers = new PartNumbers(rows.size(), rows::get);
        List<String> names = new ArrayList<>();
        columns.types().forEach(column -> names.addAll(column.names()));
        names.addAll(partitions.names());
        this.schema = new RowSchema(List.copyOf(names));
        this.layout = TableGroup.layout(columns.types(), partitions.names().size());
        this.fingerprint = Fingerprint.of(format.id(), files.store().location(), files.states(), words);
        this.cache = new ChunkCache<>(options.cacheBytes(), TableGroup::bytes);
    }

    /**
     * The rows of one file, of those in a folder whose names match a pattern, or of all below a folder whose names end as
     * those of the format do. Folders named {@code key=value} are columns too.
     * @throws IllegalArgumentException if no columns of JSON lines are named
     * @throws StoreException if a file cannot be found or read
     * @throws FormatException if one is damaged or encrypted, lacks a column, or two cannot be parts of one table
     */
    public static Table open(Path path, TableFormat format, TableOptions options) {
        return open(format, format.files(path), options);
    }

    /** The same in a store; a key that is empty or ends in {@code /} is a folder. The store stays the caller's. */
    public static Table open(Store store, String keyOrPattern, TableFormat format, TableOptions options) {
        return open(format, format.files(store, keyOrPattern), options);
    }

    private static Table open(TableFormat format, StoreFiles files, TableOptions options) {
        if (options.columns().isEmpty() && !format.namesColumns()) {
            throw new IllegalArgumentException("name the fields of JSON lines: each line may have others");
        }
        Partitions partitions =
                Partitions.of(files.entries().stream().map(entry -> entry.key()).toList(), options);
        List<String> stored = options.columns().stream()
                .filter(name -> !partitions.names().contains(name))
                .toList();
        if (stored.isEmpty() && !options.columns().isEmpty()) {
            throw new FormatException(
                    "columns %s are folders: choose one that is in the files, too".formatted(options.columns()));
        }
        List<TableFile> opened = files.map(entry -> format.open(files, entry, stored, options));
        CommonColumns columns = CommonColumns.of(opened, stored, options);
        options.requireNamed(Stream.concat(columns.types().stream().map(ColumnType::name), partitions.names().stream())
                .toList());
        return new Table(format, files, columns, partitions.only(options.columns()), opened);
    }

    /** How rows are laid out: for batches and caches. */
    public Schema<Row> schema() {
        return schema;
    }

    /** The fields of a row, in order. */
    public List<TableField> fields() {
        List<TableField> fields = fields(columns.types());
        for (int i = 0; i < partitions.names().size(); i++) {
            Tensor value = partitions.values().get(0).get(i);
            fields.add(new TableField(
                    partitions.names().get(i), value.dtype(), value.shape().rank()));
        }
        return fields;
    }

    static List<TableField> fields(List<ColumnType> columns) {
        List<TableField> fields = new ArrayList<>();
        for (ColumnType column : columns) {
            for (String name : column.names()) {
                boolean values = name.equals(column.name());
                fields.add(new TableField(
                        name, values ? column.dtype() : DType.I32, values && column.depth() == 0 ? 0 : 1));
            }
        }
        return fields;
    }

    /** The rows of the largest row group: a window for shuffles. */
    public long groupRows() {
        return IntStream.range(0, groups.size()).mapToLong(numbers::size).max().orElse(0);
    }

    @Override
    public long size() {
        return numbers.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<Row> get(long index) {
        int number = numbers.part(index);
        int row = (int) numbers.within(index, number);
        TableGroup held = cache.held(number);
        if (held != null) {
            return Mono.fromCallable(Thrown.callable(() -> row(held, number, row)));
        }
        return load(number).map(Thrown.function(loaded -> row(loaded, number, row)));
    }

    /** The rows of {@code [first, end)}: each row group is waited for once, not once a row. */
    Mono<List<Row>> rows(long first, long end) {
        int number = numbers.part(first);
        int last = numbers.part(end - 1);
        TableGroup held = number == last ? cache.held(number) : null;
        return held != null
                ? Mono.fromCallable(Thrown.callable(() -> rows(held, number, first, end)))
                : Flux.range(number, last - number + 1)
                        .concatMap(each -> load(each).map(Thrown.function(loaded -> rows(loaded, each, first, end))))
                        .collect(ArrayList::new, List::addAll);
    }

    /** Those of the rows that are in a row group. */
    private List<Row> rows(TableGroup loaded, int number, long first, long end) {
        int from = (int) Math.max(0, numbers.within(first, number));
        int to = (int) Math.min(numbers.size(number), numbers.within(end, number));
        List<Row> rows = new ArrayList<>(to - from);
        for (int row = from; row < to; row++) {
            rows.add(row(loaded, number, row));
        }
        return rows;
    }

    private Mono<TableGroup> load(int number) {
        return cache.get(number, () -> read(number));
    }

    private Mono<TableGroup> read(int number) {
        Group group = groups.get(number);
        return parts.get(group.part).file().read(group.inPart, columns);
    }

    /** Loads the row groups of these rows, if they take up to half of {@link TableOptions#cacheBytes}. */
    @Override
    public Mono<Void> prefetch(long[] indices) {
        return Mono.defer(() -> cache.ahead(Arrays.stream(indices).map(numbers::part), number -> read((int) number)));
    }

    private Row row(TableGroup loaded, int number, int row) {
        Group group = groups.get(number);
        try {
            return new Row(schema.names(), loaded.row(row, layout, partitions.of(group.part)));
        } catch (FormatException e) {
            String line = loaded.place(row);
            String place =
                    line == null ? "%s %d, row %d".formatted(format.group(), group.inPart, group.first + row) : line;
            throw new FormatException(
                    "%s, %s: %s".formatted(parts.get(group.part).file(), place, e.getMessage()), e);
        }
    }

    /** The file and the row's number in it, from 0: {@code train.parquet:row 17}. */
    @Override
    public SampleId id(long index) {
        int number = numbers.part(index);
        Group group = groups.get(number);
        Part part = parts.get(group.part);
        long row = group.first + numbers.within(index, number);
        return SampleId.of(part.key.with(row), () -> part.name + ":row " + row, part::state);
    }

    /** Closes the open files, unless the store was given. */
    @Override
    public void close() {
        listing.close();
    }

    @Override
    public String toString() {
        return "table of %d files in %s, %d rows in %d groups"
                .formatted(parts.size(), listing.store().location(), size(), groups.size());
    }
}
