package io.penstock.records;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.PartNumbers;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.StoreFiles;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Records of one length, one after the other in one or many files: as NumPy's {@code tofile} writes them, CIFAR's
 * binary version, or any packed array.
 *
 * <p>Shapes: {@code u8[recordBytes]}. Index 0 is the first record of the first file; files lie in the order of their
 * paths, byte by byte in UTF-8, so the same on every machine. Memory: some 300 bytes a file, nothing a record.
 *
 * <p>Sizes and modification times are taken when opening and are part of every key. They are looked at again after
 * every read, before a value of it is delivered: a file that was written to since then is a {@link StoreException} that
 * names it, and never a value. A stream reads groups of records, neighbours together, and looks once a group.
 * {@link io.penstock.store.FileStore} says what can be noticed. Up to 128 files stay open.
 *
 * <p>Reads block on the threads of {@link io.penstock.store.FileStore#open(java.nio.file.Path)}, never on the caller.
 * Values come from those. Closing gives the open files back at once. It is optional: they are given back, too, when
 * the data set is no longer reachable.
 */
public final class RecordFiles implements Dataset<Tensor>, GroupLoader<Tensor>, AutoCloseable {

    private final StoreFiles listing;
    private final Store store;
    private final int recordBytes;
    private final Shape shape;
    private final StoreEntry[] files;
    private final StoreFile[] stored;
    private final PartNumbers numbers;
    private final SampleKey[] keys;
    private final AtomicReferenceArray<@Nullable List<String>> states;
    private final Fingerprint fingerprint;

    private RecordFiles(StoreFiles listing, int recordBytes) {
        this.listing = listing;
        this.store = listing.store();
        this.recordBytes = recordBytes;
        this.shape = Shape.of(recordBytes);
        this.files = listing.entries().toArray(StoreEntry[]::new);
        this.stored = listing.entries().stream()
                .map(file -> new StoreFile(store, file))
                .toArray(StoreFile[]::new);
        this.numbers = new PartNumbers(files.length, file -> records(files[file]));
        this.keys = new SampleKey[files.length];
        this.states = new AtomicReferenceArray<>(files.length);
        String length = Integer.toString(recordBytes);
        for (int i = 0; i < files.length; i++) {
            StoreEntry file = files[i];
            keys[i] = SampleKey.of(
                    "record", length, listing.place(file), Long.toString(file.size()), Long.toString(file.version()));
        }
        this.fingerprint = Fingerprint.of("records", length, store.location(), listing.states());
        if (size() == 0) {
            throw new StoreException("no records in %s: empty".formatted(listing));
        }
    }

    /**
     * The records of one file, of all files below a folder (hidden ones left out), or of those in a folder whose names
     * match a pattern: {@code data/train-*.bin}, with {@code *}, {@code ?}, {@code [a-z]} and {@code {a,b}} in the last
     * part. Reads the files' states, not the files.
     * @param recordBytes the length of each record
     * @throws StoreException if a file cannot be found or listed, or there are none, or none has a record
     * @throws FormatException if a file's length is not a multiple of {@code recordBytes}
     * @throws IllegalArgumentException if {@code recordBytes < 1}
     */
    public static RecordFiles open(Path path, int recordBytes) {
        return new RecordFiles(StoreFiles.of("records", path), atLeastOne(recordBytes));
    }

    /**
     * The records of these files, in the order of their paths, not of the list.
     * @throws IllegalArgumentException if the list is empty, names a file twice, or {@code recordBytes < 1}
     */
    public static RecordFiles open(List<Path> paths, int recordBytes) {
        return new RecordFiles(StoreFiles.of("records", paths), atLeastOne(recordBytes));
    }

    /**
     * The records of a store's file, or of those in one of its folders whose names match a pattern: {@code
     * train/part-*.bin}. The store stays the caller's to close.
     * @throws StoreException if a file cannot be found or listed, or there are none, or none has a record
     * @throws FormatException if a file's length is not a multiple of {@code recordBytes}
     * @throws IllegalArgumentException if {@code recordBytes < 1}
     */
    public static RecordFiles open(Store store, String keyOrPattern, int recordBytes) {
        return new RecordFiles(StoreFiles.of("records", store, keyOrPattern), atLeastOne(recordBytes));
    }

    /**
     * The records of a store's files with these keys, in the order of the keys, not of the list.
     * @throws IllegalArgumentException if the list is empty, names a file twice, or {@code recordBytes < 1}
     */
    public static RecordFiles open(Store store, List<String> keys, int recordBytes) {
        return new RecordFiles(StoreFiles.ofKeys("records", store, keys), atLeastOne(recordBytes));
    }

    private static int atLeastOne(int recordBytes) {
        Arguments.refuse(recordBytes < 1, "record size must be at least 1 byte, was %s", recordBytes);
        return recordBytes;
    }

    private long records(StoreEntry file) {
        long over = file.size() % recordBytes;
        if (over != 0) {
            throw new FormatException(
                    ("%s in %s is not made of records of %d bytes: its %d bytes are %d records and %d bytes over; "
                                    + "check the record size, and whether the file is complete")
                            .formatted(
                                    file.key(),
                                    store.location(),
                                    recordBytes,
                                    file.size(),
                                    file.size() / recordBytes,
                                    over));
        }
        return file.size() / recordBytes;
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
    public Mono<Tensor> get(long index) {
        return piece(0, index).load();
    }

    private RecordGroup.Piece<Tensor> piece(int place, long index) {
        int file = numbers.part(index);
        return new RecordGroup.Piece<>(place, file, stored[file], offset(index, file), recordBytes, this::tensor);
    }

    private Tensor tensor(ByteBuffer bytes) {
        return Tensor.of(DType.U8, shape, bytes);
    }

    @Override
    public int groupSize() {
        return RecordGroup.size(store, recordBytes);
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<Tensor> receiver) {
        return RecordGroup.read(indices, this::piece, this::get, receiver);
    }

    /**
     * The file and the byte its record begins at: {@code train/data-2.bin@150528}. Its state is the folder, the file's size
     * and modification time, and the length of a record.
     */
    @Override
    public SampleId id(long index) {
        int file = numbers.part(index);
        long offset = offset(index, file);
        return SampleId.of(keys[file].with(offset), () -> files[file].key() + "@" + offset, () -> state(file));
    }

    /** Made once a file: a disk cache asks for each record that it takes. */
    private List<String> state(int file) {
        List<String> made = states.get(file);
        if (made == null) {
            List<String> words = store.state(files[file]);
            made = List.of(
                    "in " + store.location(), words.get(0), words.get(1), "records of " + recordBytes + " bytes");
            states.set(file, made);
        }
        return made;
    }

    private long offset(long index, int file) {
        return numbers.within(index, file) * recordBytes;
    }

    /** Closes the open files, unless the store was given; reads under way finish, later ones fail. */
    @Override
    public void close() {
        listing.close();
    }

    @Override
    public String toString() {
        return "records of %d bytes in %s, %d files, %d samples"
                .formatted(recordBytes, store.location(), files.length, size());
    }
}
