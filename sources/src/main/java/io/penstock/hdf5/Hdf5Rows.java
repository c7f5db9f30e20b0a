package io.penstock.hdf5;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.OptionalLibrary;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.InOrder;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.StoreFiles;
import io.penstock.table.Row;
import io.penstock.table.TableField;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The rows of arrays of an HDF5 or NetCDF-4 file along their first axis, a field for each: sample i has row i of each.
 *
 * <p>Shapes: a data set {@code f32[n, h, w]} has n samples {@code f32[h, w]}; one without axes is one sample. Of a data
 * set of a compound type, each member is a field. Tensors are little-endian, also where the file is not. A text of any
 * length is its bytes, {@code u8[n]}, a list of numbers {@code [n]}; complex numbers get an axis more; h5py's booleans
 * are {@code bool}. What is not stored has the fill value.
 *
 * <p>Opening reads where the chunks lie, and blocks: 24 bytes of memory for each chunk. A load reads and decodes a chunk
 * once for all samples that need it at the same time, on the threads that read files, and keeps it while it is among the
 * last used, up to 128 MiB an array. Rows of 16 KiB and more that lie there without a filter are read one by one, and not
 * kept. A file that is changed afterwards fails to be read.
 *
 * <p>A sample's key is made of the file's place, size and version, of the fields, and of its row. Closing gives the open
 * file back at once, and is optional.
 */
public final class Hdf5Rows implements Dataset<Row>, GroupLoader<Row>, AutoCloseable {

    private static final int AT_ONCE = 16;
    private static final int MAX_SHOWN = 8;

    private final StoreFiles listing;
    private final StoreFile file;
    private final List<Hdf5Field> fields;
    private final List<Hdf5Column> columns;
    private final List<String> names;
    private final Hdf5Heaps heaps;
    private final Fingerprint fingerprint;
    private final SampleKey key;

    private Hdf5Rows(StoreFiles listing, StoreFile file, Hdf5Tree.Found found) {
        this.listing = listing;
        this.file = file;
        this.fields = found.fields();
        this.columns = fields.stream().map(Hdf5Field::column).distinct().toList();
        this.names = fields.stream().map(Hdf5Field::name).toList();
        this.heaps = new Hdf5Heaps(file, found.base());
        Fingerprint whole = Fingerprint.of(
                "hdf5",
                listing.place(file.entry()),
                Long.toString(file.entry().size()),
                Long.toString(file.entry().version()));
        for (Hdf5Field field : fields) {
            whole = whole.with(field.name()).with(field.column().path());
        }
        this.fingerprint = whole;
        this.key = SampleKey.of(whole);
    }

    /**
     * The rows of some data sets, or of all in a group, by their paths: {@code "train/images"}, {@code "train"}; of those
     * in the file's root if none are named.
     * @throws StoreException if the file cannot be read, or has no such data set
     * @throws FormatException if it is no such file, is damaged, has a type or a filter that cannot be read, or the data
     *     sets have different numbers of rows
     * @throws IllegalArgumentException if one is named twice
     * @throws IllegalStateException if {@code io.jhdf:jhdf} is missing
     */
    public static Hdf5Rows open(Path path, List<String> paths) {
        OptionalLibrary.JHDF.require(Hdf5Rows.class);
        Arguments.refuse(paths.stream().distinct().count() < paths.size(), "a data set is named twice: %s", paths);
        StoreFiles listing = StoreFiles.of("HDF5 files", path);
        try {
            Arguments.refuse(listing.entries().size() != 1, "an array lies in one file, there are %s", listing);
            StoreFile file = new StoreFile(listing.store(), listing.entries().get(0));
            Hdf5Rows rows = new Hdf5Rows(listing, file, Hdf5Tree.open(path, listing.toString(), file, paths));
            rows.requireEqual();
            return rows;
        } catch (RuntimeException e) {
            listing.close();
            throw e;
        }
    }

    private void requireEqual() {
        if (columns.stream()
                        .mapToLong(column -> column.shape().dim(0))
                        .distinct()
                        .count()
                > 1) {
            throw new FormatException(
                    "the data sets of %s do not have equally many rows: %s%s; name those that go together"
                            .formatted(
                                    listing,
                                    columns.stream()
                                            .limit(MAX_SHOWN)
                                            .map(column -> column.path() + " " + column.shape())
                                            .collect(Collectors.joining(", ")),
                                    columns.size() > MAX_SHOWN ? ", …" : ""));
        }
    }

    /** How rows are laid out: for batches and caches. */
    public Schema<Row> schema() {
        return Row.schema(names);
    }

    /** The fields of a row: the data sets as they were named, those of a group and of a type in the file's order. */
    public List<TableField> fields() {
        return fields.stream().map(Hdf5Field::described).toList();
    }

    @Override
    public long size() {
        return columns.get(0).shape().dim(0);
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<Row> get(long index) {
        Objects.checkIndex(index, size());
        return fields.size() == 1
                ? fields.get(0).get(index, heaps).map(value -> new Row(names, List.of(value)))
                : Flux.fromIterable(fields)
                        .transform(InOrder.map(AT_ONCE, field -> field.get(index, heaps)))
                        .collectList()
                        .map(values -> new Row(names, values));
    }

    @Override
    public int groupSize() {
        return RecordGroup.size(
                file.store(), columns.stream().mapToLong(Hdf5Column::rowBytes).sum());
    }

    /** Those of one chunk are cut from it together; those that lie in the file as they are, are read together. */
    @Override
    public Mono<Void> getAll(long[] indices, Receiver<Row> receiver) {
        Hdf5Column column = columns.get(0);
        return isOfBytes() && column.isInOneChunk()
                ? Flux.defer(() -> Flux.fromIterable(column.byChunk(indices)))
                        .flatMap(places -> cut(places, indices, receiver))
                        .then()
                : RecordGroup.read(indices, this::plain, index -> Mono.defer(() -> get(index)), receiver);
    }

    /** Whether a row is one value, which lies in the row's bytes. */
    private boolean isOfBytes() {
        return fields.size() == 1 && !fields.get(0).element().onHeap();
    }

    private Row row(ByteBuffer bytes) {
        return new Row(names, List.of(fields.get(0).value(bytes)));
    }

    private RecordGroup.@Nullable Piece<Row> plain(int place, long index) {
        return isOfBytes() ? columns.get(0).plain(place, Objects.checkIndex(index, size()), this::row) : null;
    }

    /** Tells of the rows of one chunk. */
    private Mono<Void> cut(List<Integer> places, long[] indices, Receiver<Row> receiver) {
        if (places.stream().noneMatch(receiver::wants)) {
            return Mono.empty();
        }
        return columns.get(0)
                .rows(indices[places.get(0)])
                .doOnNext(rows -> places.forEach(
                        place -> RecordGroup.tell(place, () -> row(rows.apply(indices[place])), receiver)))
                .onErrorResume(e -> {
                    places.forEach(place -> receiver.failure(place, e));
                    return Mono.empty();
                })
                .then();
    }

    /** The file and the row: {@code train.h5[17]}. Its state is the file's folder, size and modification time. */
    @Override
    public SampleId id(long index) {
        return SampleId.of(
                key.with(Objects.checkIndex(index, size())),
                () -> file.entry().key() + "[" + index + "]",
                () -> listing.state(file.entry()));
    }

    /** Closes the open file. */
    @Override
    public void close() {
        listing.close();
    }

    @Override
    public String toString() {
        return "rows of %s in %s, %d samples".formatted(names, listing, size());
    }
}
