package io.penstock.array;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.store.Store;
import io.penstock.store.internal.InOrder;
import io.penstock.store.zip.ZipStore;
import io.penstock.table.Row;
import io.penstock.table.TableField;
import io.penstock.tensor.Schema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The rows of several arrays of one npz archive, a field for each array: sample i has row i of each.
 *
 * <p>Shapes are those of {@link ArrayRows}. The arrays must have equally many rows. Opening reads them into memory, 1
 * GiB or half of what the heap holds at most, and blocks. Those that do not fit are read row by row if they are stored,
 * as {@code numpy.savez} writes them, and refused if they are compressed.
 *
 * <p>A sample's key is made of the archive's place, of the arrays' names, sizes and checksums, and of its row. Closing
 * gives the archive back at once, and is optional.
 */
public final class NpzRows implements Dataset<Row>, AutoCloseable {

    private static final int AT_ONCE = 16;
    private static final int MAX_SHOWN = 8;

    private final Store archive;
    private final Runnable closing;
    private final List<ArrayRows> arrays;
    private final List<String> names;
    private final Schema<Row> schema;
    private final Fingerprint fingerprint;
    private final SampleKey key;

    private NpzRows(Store archive, Runnable closing, List<String> names, List<ArrayRows> arrays) {
        this.archive = archive;
        this.closing = closing;
        this.names = names;
        this.arrays = arrays;
        this.schema = Row.schema(names);
        List<String> states = new ArrayList<>(List.of("npz", archive.location()));
        arrays.forEach(array -> states.add(array.fingerprint().hex()));
        this.fingerprint = Fingerprint.of(states.toArray(String[]::new));
        this.key = SampleKey.of(fingerprint);
    }

    /**
     * The rows of some arrays of an archive, or of all if none are named.
     * @throws StoreException if it cannot be read, has no such array, or one that does not fit into memory
     * @throws FormatException if it is no archive, an array is cut off, has elements that are no numbers, or has
     *     another number of rows than the others
     * @throws IllegalArgumentException if an array is named twice
     */
    public static NpzRows open(Path file, List<String> arrays) {
        ZipStore archive = ZipStore.open(file);
        try {
            return open(archive, archive::close, arrays);
        } catch (RuntimeException e) {
            archive.close();
            throw e;
        }
    }

    /** The same of a store of the archive's entries, which stays the caller's. */
    public static NpzRows open(Store archive, List<String> arrays) {
        return open(archive, () -> {}, arrays);
    }

    private static NpzRows open(Store archive, Runnable closing, List<String> chosen) {
        List<String> keys = NpzNames.of(archive).keys(chosen);
        Arguments.refuse(keys.stream().distinct().count() < keys.size(), "an array is named twice: %s", chosen);
        List<ArrayRows> arrays = new ArrayList<>();
        long left = ArrayRows.MAX_IN_MEMORY;
        for (String each : keys) {
            ArrayRows array = ArrayRows.ofEntry(archive, each, left);
            left -= Math.min(left, array.heldBytes());
            arrays.add(array);
        }
        List<String> names = keys.stream().map(NpzNames::name).toList();
        requireEqual(archive, names, arrays);
        return new NpzRows(archive, closing, names, arrays);
    }

    private static void requireEqual(Store archive, List<String> names, List<ArrayRows> arrays) {
        boolean equal = arrays.stream().mapToLong(ArrayRows::size).distinct().count() == 1;
        boolean rows = arrays.size() == 1
                || arrays.stream().allMatch(array -> array.shape().rank() > 0);
        if (equal && rows) {
            return;
        }
        String shapes = IntStream.range(0, Math.min(MAX_SHOWN, names.size()))
                .mapToObj(i -> "%s %s%s"
                        .formatted(
                                names.get(i),
                                arrays.get(i).dtype(),
                                arrays.get(i).shape()))
                .collect(Collectors.joining(", "));
        throw new FormatException("the arrays of %s do not have equally many rows: %s%s; name those that go together"
                .formatted(archive.location(), shapes, names.size() > MAX_SHOWN ? ", …" : ""));
    }

    /** How rows are laid out: for batches and caches. */
    public Schema<Row> schema() {
        return schema;
    }

    /** The fields of a row: the arrays in the order in which they were named, otherwise in that of their names. */
    public List<TableField> fields() {
        List<TableField> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            ArrayRows array = arrays.get(i);
            fields.add(
                    new TableField(names.get(i), array.dtype(), array.rowShape().rank()));
        }
        return fields;
    }

    @Override
    public long size() {
        return arrays.get(0).size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<Row> get(long index) {
        Objects.checkIndex(index, size());
        return Flux.fromIterable(arrays)
                .transform(InOrder.map(AT_ONCE, array -> array.get(index)))
                .collectList()
                .map(values -> new Row(names, values));
    }

    /** The archive and the row: {@code train.npz[17]}. Its state is that of each array. */
    @Override
    public SampleId id(long index) {
        return SampleId.of(
                key.with(Objects.checkIndex(index, size())),
                () -> "%s[%d]".formatted(archive.location().replaceFirst("^.*/(?=.)", ""), index),
                () -> arrays.stream()
                        .flatMap(array -> array.id(index).state().stream())
                        .distinct()
                        .toList());
    }

    /** Closes the archive, unless it was given. */
    @Override
    public void close() {
        closing.run();
    }

    @Override
    public String toString() {
        return "rows of %s in %s, %d samples".formatted(names, archive.location(), size());
    }
}
