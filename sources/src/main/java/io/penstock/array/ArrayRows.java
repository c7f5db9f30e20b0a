package io.penstock.array;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.MemoryStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.internal.Waiting;
import io.penstock.store.unpack.Unpacker;
import io.penstock.store.zip.ZipStore;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * The rows of an array in a file, along its first axis: NumPy's npy, versions 1 to 3, or MNIST's idx.
 *
 * <p>Shapes: an array {@code f32[n, h, w]} has n samples {@code f32[h, w]}; one without axes is one sample.
 * Tensors are little-endian, also where the file is not. Dates of NumPy's come as {@code i64}.
 *
 * <p>Opening reads the header. A load reads its row as the store reads, never on the caller. A stream reads groups of
 * rows, neighbours together.
 *
 * <p>Some files are taken into memory when they are opened, 1 GiB or half of what the heap holds at most: compressed ones
 * (gz, zst), unless an {@link Unpacker} says otherwise, compressed arrays of npz archives, and those in Fortran's order,
 * whose rows do not lie together.
 *
 * <p>A sample's key is made of the file's place, size and version, and of its row. Closing gives the open file back at
 * once, and is optional.
 * @see <a href="https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html">numpy.lib.format</a>
 */
public final class ArrayRows implements Dataset<Tensor>, GroupLoader<Tensor>, AutoCloseable {

    /** The array as it is read, and turned. */
    static final long MAX_IN_MEMORY = HeapLimit.of(1L << 30, 2);

    private final StoreFiles listing;
    private final String name;
    private final StoreFile file;
    private final ArrayHeader header;
    private final Shape rowShape;
    private final int rowBytes;
    private final Fingerprint fingerprint;
    private final SampleKey key;

    private ArrayRows(StoreFiles listing, String kind, String name, StoreFile file, ArrayHeader header) {
        this.listing = listing;
        this.name = name;
        this.file = file;
        this.header = header;
        // an empty axis would let the others claim anything
        boolean empty = header.shape().elements() == 0;
        this.rowShape = empty || header.shape().rank() == 0
                ? Shape.SCALAR
                : header.shape().dropFirst();
        long bytes = rowShape.elements() * header.dtype().bytes();
        if (empty || bytes > HeapLimit.MAX_ARRAY) {
            throw new FormatException("%s has no rows that could be samples: it is %s%s"
                    .formatted(listing, header.dtype(), header.shape()));
        }
        this.rowBytes = (int) bytes;
        var entry = listing.entries().get(0);
        this.fingerprint =
                Fingerprint.of(kind, listing.place(entry), Long.toString(entry.size()), Long.toString(entry.version()));
        this.key = SampleKey.of(fingerprint);
    }

    /**
     * The rows of an npy file.
     * @throws StoreException if it cannot be read
     * @throws FormatException if it is not such a file, is cut off, or has elements that are no numbers; those that are
     *     Python objects are never read
     */
    public static ArrayRows openNpy(Path path) {
        return npy(StoreFiles.of("npy files", path), Unpacker.inMemory());
    }

    /** The same in a store. */
    public static ArrayRows openNpy(Store store, String key) {
        return openNpy(store, key, Unpacker.inMemory());
    }

    /** The same, decompressed where this says if it is compressed. */
    public static ArrayRows openNpy(Store store, String key, Unpacker unpacker) {
        return npy(StoreFiles.of("npy files", store, key), unpacker);
    }

    /**
     * The rows of one array of an npz archive, which is a zip of npy files. It is taken into memory if it fits;
     * otherwise its rows are read from the archive, if it is not compressed there. {@link NpzRows} reads several.
     * @param archive a store of the archive's entries, such as a {@link io.penstock.store.zip.ZipStore}; stays the
     *     caller's
     * @param array   its name; may be empty where there is one alone
     * @throws StoreException if it cannot be read, or has no such array: it says which there are
     * @throws FormatException as for {@link #openNpy(Path)}
     */
    public static ArrayRows openNpz(Store archive, String array) {
        return ofEntry(archive, NpzNames.of(archive).key(array), MAX_IN_MEMORY);
    }

    /**
     * The same by the key of an entry.
     * @param maxBytes that it may take in memory
     */
    static ArrayRows ofEntry(Store archive, String key, long maxBytes) {
        StoreFiles files = StoreFiles.ofKeys("npy files", archive, List.of(key));
        StoreEntry entry = files.entries().get(0);
        if (entry.size() <= maxBytes) {
            byte[] bytes = Waiting.forValue(archive.read(entry)).array();
            return npy(files, StoreFile.inMemory(archive.location(), entry.key(), bytes));
        }
        if (archive instanceof ZipStore zip && zip.isStored(key)) {
            return npy(files, new StoreFile(archive, entry));
        }
        throw new StoreException(
                ("%s is compressed and too large to be taken into memory: at most %d bytes, has %d; save it without"
                                + " compression, as an npy file of its own or with numpy.savez")
                        .formatted(files, maxBytes, entry.size()));
    }

    /**
     * The rows of an idx file.
     * @throws StoreException if it cannot be read
     * @throws FormatException if it is not such a file, or has more or fewer bytes than it says
     */
    public static ArrayRows openIdx(Path path) {
        return idx(StoreFiles.of("idx files", path), Unpacker.inMemory());
    }

    /** The same in a store. */
    public static ArrayRows openIdx(Store store, String key) {
        return openIdx(store, key, Unpacker.inMemory());
    }

    /** The same, decompressed where this says if it is compressed. */
    public static ArrayRows openIdx(Store store, String key, Unpacker unpacker) {
        return idx(StoreFiles.of("idx files", store, key), unpacker);
    }

    /**
     * Rows with labels of their own: MNIST's images and labels.
     * @param labels one number for each row
     * @throws IllegalArgumentException if there are not as many, or they are no single numbers
     */
    public Dataset<LabelledRow> labelled(ArrayRows labels) {
        if (labels.rowShape.elements() != 1) {
            throw new IllegalArgumentException(
                    "labels must be one number a row, are %s%s".formatted(labels.header.dtype(), labels.rowShape));
        }
        return zip("label", labels, (row, label) -> new LabelledRow(row, label.longAt(0)));
    }

    private static ArrayRows npy(StoreFiles files, Unpacker unpacker) {
        return npy(files, only(files, unpacker));
    }

    private static ArrayRows npy(StoreFiles files, StoreFile file) {
        String name = name(files);
        try (var input = file.input()) {
            ArrayHeader header = NpyHeader.read(input, files.toString());
            long bytes = header.bytes(files.toString(), file.size());
            if (header.isByColumns()) {
                if (bytes > MAX_IN_MEMORY) {
                    throw new StoreException(
                            ("%s is in Fortran's order, and at most %d bytes are turned in memory: it has %d; save it"
                                            + " in C's order, or raise -Xmx")
                                    .formatted(files, MAX_IN_MEMORY, bytes));
                }
                byte[] turned = turned(file, header, (int) bytes);
                ArrayHeader rows = new ArrayHeader(header.dtype(), header.shape(), 0, header.bigEndian(), false);
                return new ArrayRows(files, "npy", name, StoreFile.inMemory(name, name, turned), rows);
            }
            return new ArrayRows(files, "npy", name, file, header);
        }
    }

    private static byte[] turned(StoreFile file, ArrayHeader header, int bytes) {
        try (var input = file.input()) {
            input.seek(header.data());
            byte[] columns = new byte[bytes];
            for (int count = 0; count < bytes; ) {
                count += input.read(columns, count, bytes - count);
            }
            return header.rows(columns);
        }
    }

    private static ArrayRows idx(StoreFiles files, Unpacker unpacker) {
        StoreFile file = only(files, unpacker);
        String name = name(files);
        try (var input = file.input()) {
            return new ArrayRows(files, "idx", name, file, IdxHeader.read(input, files.toString(), file.size()));
        }
    }

    private static StoreFile only(StoreFiles files, Unpacker unpacker) {
        Arguments.refuse(files.entries().size() != 1, "an array is one file, there are %s; name one of them", files);
        return unpacker.unpack(files.store(), files.entries().get(0));
    }

    private static String name(StoreFiles files) {
        return files.entries().get(0).key();
    }

    @Override
    public long size() {
        return header.shape().rank() == 0 ? 1 : header.shape().dim(0);
    }

    /** The type of the elements. */
    public DType dtype() {
        return header.dtype();
    }

    /** The shape of the whole array. */
    public Shape shape() {
        return header.shape();
    }

    /** The shape of a row. */
    Shape rowShape() {
        return rowShape;
    }

    /** What this takes of the heap. */
    long heldBytes() {
        return file.store() instanceof MemoryStore ? file.size() : 0;
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
        long start = header.data() + Objects.checkIndex(index, size()) * rowBytes;
        return new RecordGroup.Piece<>(place, 0, file, start, rowBytes, this::tensor);
    }

    @Override
    public int groupSize() {
        return RecordGroup.size(file.store(), rowBytes);
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<Tensor> receiver) {
        return RecordGroup.read(indices, this::piece, this::get, receiver);
    }

    private Tensor tensor(ByteBuffer row) {
        return Tensor.of(header.dtype(), rowShape, header.littleEndian(row));
    }

    /**
     * The file and the row: {@code train-images-idx3-ubyte.gz[17]}. Its state is the file's folder, size and modification
     * time.
     */
    @Override
    public SampleId id(long index) {
        return SampleId.of(
                key.with(Objects.checkIndex(index, size())),
                () -> name + "[" + index + "]",
                () -> listing.state(listing.entries().get(0)));
    }

    /** Closes the open file, unless the store was given. */
    @Override
    public void close() {
        listing.close();
    }

    @Override
    public String toString() {
        return "rows of %s, %s%s".formatted(name, header.dtype(), header.shape());
    }
}
