package io.penstock.shard;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.PartNumbers;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.Store;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.StoreFiles;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The records of TFRecord files as their bytes, {@code u8[n]}; {@link io.penstock.table.Examples} parses them.
 *
 * <p>Opening finds the records of eight files at once, by their lengths, and blocks. It compares the checksums of the
 * lengths; a load compares that of the record. The index is kept in a folder as that of {@link TarShards} is. Files
 * whose names end in gz, zlib, zz or zst are decompressed there first; see {@link io.penstock.store.unpack.Unpacker}.
 * Files lie in the order of their keys.
 *
 * <p>The key of a record is made of its file's place, size and version, and of its offset. Memory: 20 bytes a record.
 * A stream reads groups of records, neighbours together.
 * @see <a href="https://www.tensorflow.org/tutorials/load_data/tfrecord">TFRecord</a>
 */
public final class TfRecords implements Dataset<Tensor>, GroupLoader<Tensor>, AutoCloseable {

    private static final String WHAT = "TFRecord files";
    private static final int MAX_RECORD = 1 << 30;

    private final StoreFiles files;
    private final List<TarShard> shards;
    private final PartNumbers numbers;
    private final int groupSize;
    private final Fingerprint fingerprint;

    private TfRecords(StoreFiles files, @Nullable Path folder) {
        this.files = files;
        this.shards = TarShards.shards("tfrecord", files, folder, 0, TfRecordIndex::scan);
        this.numbers =
                new PartNumbers(shards.size(), file -> shards.get(file).index().size());
        this.fingerprint = Fingerprint.of("tfrecord", files.store().location(), files.states());
        if (size() == 0) {
            throw new StoreException("no records in %s: empty".formatted(files));
        }
        this.groupSize = RecordGroup.size(shards.stream().map(TarShard::bytes).toList(), size());
    }

    /**
     * The records of one file, of all files below a folder, or of those in a folder whose names match a pattern.
     * @param index the folder for the index and decompressed files; null to keep them in memory
     * @throws StoreException if a file cannot be found or read, or there are no records
     * @throws FormatException if all are cut off or damaged, naming the record; one of many is one sample, which fails
     */
    public static TfRecords open(Path path, @Nullable Path index) {
        return new TfRecords(StoreFiles.of(WHAT, path), index);
    }

    /** The same of a store's file, or of those in one of its folders. The store stays the caller's. */
    public static TfRecords open(Store store, String keyOrPattern, @Nullable Path index) {
        return new TfRecords(StoreFiles.of(WHAT, store, keyOrPattern), index);
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
        return Mono.defer(() -> piece(0, index).load());
    }

    private RecordGroup.Piece<Tensor> piece(int place, long index) {
        int file = numbers.part(index);
        int record = (int) numbers.within(index, file);
        TarShard shard = shards.get(file);
        shard.requireUndamaged();
        long offset = shard.index().offset(record);
        long length = shard.index().length(record);
        if (length > MAX_RECORD) {
            throw new StoreException("%s: record %d at byte %d has %d bytes, the max is %d"
                    .formatted(shard.name(), record, offset, length, MAX_RECORD));
        }
        return new RecordGroup.Piece<>(
                place,
                file,
                shard.bytes(),
                offset,
                (int) length + TfRecordIndex.FOOT,
                bytes -> checked(bytes, (int) length, shard, record));
    }

    @Override
    public int groupSize() {
        return groupSize;
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<Tensor> receiver) {
        return RecordGroup.read(indices, this::piece, this::get, receiver);
    }

    private static Tensor checked(ByteBuffer read, int length, TarShard shard, int record) {
        ByteBuffer payload = read.slice(read.position(), length);
        int sum = read.slice(read.position() + length, TfRecordIndex.FOOT)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt();
        if (TfRecordIndex.masked(payload) != sum) {
            throw new FormatException("%s: record %d at byte %d is damaged: the checksum of its %d bytes is wrong"
                    .formatted(shard.name(), record, shard.index().offset(record), length));
        }
        return Tensor.of(DType.U8, Shape.of(length), payload);
    }

    /** The file and the byte its payload begins at: {@code train.tfrecord@150528}. */
    @Override
    public SampleId id(long index) {
        int file = numbers.part(index);
        int record = (int) numbers.within(index, file);
        TarShard shard = shards.get(file);
        return SampleId.of(
                shard.key(record), () -> shard.name() + "@" + shard.index().offset(record), shard::state);
    }

    /** Closes the open files, unless the store was given. */
    @Override
    public void close() {
        files.close();
    }

    @Override
    public String toString() {
        return "TFRecords in %s, %d samples".formatted(files, size());
    }
}
