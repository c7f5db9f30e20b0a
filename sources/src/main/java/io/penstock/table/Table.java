package io.penstock.table;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.PartNumbers;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.store.Store;
import io.penstock.store.internal.ChunkCache;
import io.penstock.store.internal.StoreFiles;
import io.penstock.table.internal.ColumnType;
import io.penstock.table.internal.Partitions;
import io.penstock.table.internal.TableFile;
import io.penstock.table.internal.TableGroup;
import io.penstock.table.internal.parquet.ParquetFile;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/**
 * The rows of a table whose files have them in groups: Parquet.
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
 * <p>Opening reads each file's footer, eight at once, and blocks; loading never blocks. The key of a row is made of its
 * file's place, size and version, the options, and its number. Memory: the footers, the cache, the groups in flight.
 * @see <a href="https://parquet.apache.org/docs/file-format/">The Parquet format</a>
 */
public final class Table implements Dataset<Row>, AutoCloseable {

    private static final String PARQUET = "Parquet files";

    private final StoreFiles listing;
    private final List<Part> parts;
    private final List<Group> groups = new ArrayList<>();
    private final PartNumbers numbers;
    private final Partitions partitions;
    private final RowSchema schema;
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

    private Table(String kind, StoreFiles files, TableOptions options, Partitions partitions, List<TableFile> opened) {
        this.listing = files;
        this.partitions = partitions;
        String words = "columns %s, types %s, nulls %s %s"
                .formatted(
                        options.columns(),
                        new TreeMap<>(options.types()),
                        options.fill(),
                        new TreeMap<>(options.fills()));
        this.parts = IntStream.range(0, opened.size())
                .mapToObj(i -> {
                    var entry = files.entries().get(i);
                    String[] state = {
                        files.place(entry), Long.toString(entry.size()), Long.toString(entry.version()), kind, words
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
        opened.get(0).columns().forEach(column -> names.addAll(column.names()));
        names.addAll(partitions.names());
        this.schema = new RowSchema(List.copyOf(names));
        this.fingerprint = Fingerprint.of(kind, files.store().location(), files.states(), words);
        this.cache = new ChunkCache<>(options.cacheBytes(), TableGroup::bytes);
    }

    /**
     * The rows of one Parquet file, of those in a folder whose names match a pattern, or of all below a folder whose
     * names end in {@code .parquet}. Folders named {@code key=value} are columns too.
     * @throws StoreException if a file cannot be found or read
     * @throws FormatException if one is damaged, encrypted, or has other columns than the first
     */
    public static Table openParquet(Path path, TableOptions options) {
        return parquet(
                Files.isDirectory(path)
                        ? StoreFiles.below(PARQUET, path, Table::isParquet)
                        : StoreFiles.of(PARQUET, path),
                options);
    }

    /** The same in a store; a key that is empty or ends in {@code /} is a folder. The store stays the caller's. */
    public static Table openParquet(Store store, String keyOrPattern, TableOptions options) {
        boolean folder = keyOrPattern.isEmpty() || keyOrPattern.endsWith("/");
        return parquet(
                folder
                        ? StoreFiles.below(PARQUET, store, keyOrPattern, Table::isParquet)
                        : StoreFiles.of(PARQUET, store, keyOrPattern),
                options);
    }

    private static boolean isParquet(String name) {
        return name.endsWith(".parquet") && !name.startsWith("_") && !name.startsWith(".");
    }

    private static Table parquet(StoreFiles files, TableOptions options) {
        Partitions partitions =
                Partitions.of(files.entries().stream().map(entry -> entry.key()).toList());
        List<String> stored = options.columns().stream()
                .filter(name -> !partitions.names().contains(name))
                .toList();
        if (stored.isEmpty() && !options.columns().isEmpty()) {
            throw new FormatException(
                    "columns %s are folders: choose one that is in the files, too".formatted(options.columns()));
        }
        List<TableFile> opened = files.map(entry -> ParquetFile.open(files, entry, stored, options));
        List<ColumnType> columns = opened.get(0).columns();
        for (TableFile file : opened) {
            if (!file.columns().equals(columns)) {
                throw new FormatException("%s has other columns than %s: %s instead of %s"
                        .formatted(file, opened.get(0), file.columns(), columns));
            }
        }
        return new Table("parquet 1", files, options, partitions.only(options.columns()), opened);
    }

    /** How rows are laid out: for batches and caches. */
    public Schema<Row> schema() {
        return schema;
    }

    /** The fields of a row, in order. */
    public List<TableField> fields() {
        List<TableField> fields = fields(parts.get(0).file().columns());
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
        Group group = groups.get(number);
        TableFile file = parts.get(group.part).file();
        return cache.get(number, () -> file.read(group.inPart).map(TableGroup::new))
                .map(Thrown.function(loaded -> row(loaded, number, row)));
    }

    private Row row(TableGroup loaded, int number, int row) {
        Group group = groups.get(number);
        try {
            List<Tensor> values = loaded.row(row);
            values.addAll(partitions.values().get(group.part));
            return new Row(schema.names(), values);
        } catch (FormatException e) {
            throw new FormatException(
                    "%s, row group %d, row %d: %s"
                            .formatted(parts.get(group.part).file(), group.inPart, group.first + row, e.getMessage()),
                    e);
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
