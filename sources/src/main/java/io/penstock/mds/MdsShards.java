package io.penstock.mds;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Notice;
import io.penstock.internal.PartNumbers;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.ChunkCache;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.internal.Waiting;
import io.penstock.store.unpack.Unpacker;
import io.penstock.table.Row;
import io.penstock.table.TableField;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The samples of a data set in MosaicML streaming's format MDS: a folder with {@code index.json} and shards.
 *
 * <p>Samples are in the order of the index, a field for each column. Numbers are scalars of their type, {@code int} is
 * {@code i64}; {@code str}, {@code bytes}, {@code json}, {@code jpeg} and {@code png} are {@code u8[n]};
 * {@code ndarray} is an array. Numbers as text are {@code i64} or {@code f64}. Lists of files have their bytes in
 * {@code NAME}, their lengths in {@code NAME.lengths}. A column of pickles is refused unless others are chosen: nothing
 * is unpickled.
 *
 * <p>Opening reads the index and the files' states, and decompresses shards in zstd or gz, which blocks. The first
 * load from a shard compares its bytes with a hash if the index has one: it reads the shard once. Loading never blocks.
 *
 * <p>The key of a sample is made of its shard's place, size and version, the columns, and its number. Memory: the
 * offsets of the shards in use, 4 bytes a sample. A stream reads groups of samples, neighbours together.
 * @see <a href="https://docs.mosaicml.com/projects/streaming/en/stable/preparing_datasets/dataset_format.html">MDS</a>
 */
public final class MdsShards implements Dataset<Row>, GroupLoader<Row>, AutoCloseable {

    private static final String WHAT = "MDS shards";
    private static final Logger LOG = LoggerFactory.getLogger(MdsShards.class);
    private static final int MAX_INDEX = (int) HeapLimit.of(256 << 20, 16);
    private static final int MAX_SAMPLE = 1 << 30;
    private static final long MAX_OFFSETS = HeapLimit.of(256 << 20, 4);

    private final StoreFiles files;
    private final List<MdsShard> shards;
    private final MdsColumns columns;
    private final PartNumbers numbers;
    private final Fingerprint fingerprint;
    private final Schema<Row> schema;
    private final ChunkCache<MdsShard.Offsets> offsets;
    private final int groupSize;
    private final List<TableField> fields;

    private MdsShards(StoreFiles files, List<MdsShard> shards, MdsColumns columns) {
        this.files = files;
        this.shards = shards;
        this.columns = columns;
        this.numbers = new PartNumbers(shards.size(), i -> shards.get(i).samples());
        this.fingerprint = Fingerprint.of("mds", files.store().location(), files.states(), columns.words());
        this.schema = Row.schema(columns.names());
        this.offsets = new ChunkCache<>(MAX_OFFSETS, MdsShard.Offsets::bytes);
        if (size() == 0) {
            throw new StoreException("no samples in %s: empty".formatted(files));
        }
        this.groupSize = RecordGroup.size(shards.stream().map(MdsShard::plain).toList(), size());
        this.fields = columns.fields(columns.vary() ? first().values() : List.of());
    }

    /** The first row of the first shard that has one which can be read: samples that cannot fail when they are loaded. */
    private Row first() {
        FormatException damage = null;
        for (long index = 0; index < size(); index += numbers.size(numbers.part(index))) {
            try {
                return Waiting.forValue(get(index));
            } catch (FormatException e) {
                damage = damage == null ? e : damage;
            }
        }
        throw Objects.requireNonNull(damage, "there is a sample");
    }

    /**
     * The samples below a folder that has an {@code index.json}: a split, such as {@code data/train}.
     * @param columns in the order of the fields; all if none are named
     * @param unpacked the folder for decompressed shards; null to keep them in memory
     * @throws StoreException if there is no index, or a shard is missing
     * @throws FormatException if the index is damaged, a column is missing or cannot be read, or every shard has another
     *     size or cannot be decompressed; the samples of one of many fail when they are loaded
     */
    public static MdsShards open(Path folder, List<String> columns, @Nullable Path unpacked) {
        FileStore store = FileStore.open(folder);
        try {
            return open(store, columns, unpacked, store::close);
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** The same of a store that has the index in its root, and stays the caller's. */
    public static MdsShards open(Store store, List<String> columns, @Nullable Path unpacked) {
        return open(store, columns, unpacked, () -> {});
    }

    private static MdsShards open(Store store, List<String> chosen, @Nullable Path unpacked, Runnable closing) {
        String location = store.location();
        String name = "%s in %s".formatted(MdsIndex.NAME, location);
        ByteBuffer bytes = Waiting.forValue(store.find(MdsIndex.NAME, MAX_INDEX)
                .switchIfEmpty(Mono.error(() -> new StoreException(
                        "no MDS data set in %s: it has no %s; name the folder that has it, such as that of a split"
                                .formatted(location, MdsIndex.NAME)))));
        MdsIndex index = MdsIndex.parse(bytes, name);
        MdsColumns columns = MdsColumns.of(index.columns(), chosen, name);
        List<List<String>> keys = new ArrayList<>();
        Map<String, MdsIndex.Shard> byKey = new HashMap<>();
        for (MdsIndex.Shard shard : index.shards()) {
            MdsIndex.Zip zip = shard.zip();
            List<String> candidates = zip == null ? List.of(shard.key()) : List.of(zip.key(), shard.key());
            keys.add(candidates);
            candidates.forEach(key -> byKey.put(key, shard));
        }
        StoreFiles files = StoreFiles.ofFirst(WHAT, store, keys, closing);
        Unpacker unpacker = unpacked == null ? Unpacker.inMemory() : Unpacker.into(unpacked);
        List<MdsShard> shards = files.map(entry ->
                shard(files, entry, Objects.requireNonNull(byKey.get(entry.key()), "asked for"), unpacker, columns));
        requireSomeReadable(shards);
        return new MdsShards(files, shards, columns);
    }

    private static MdsShard shard(
            StoreFiles files, StoreEntry entry, MdsIndex.Shard shard, Unpacker unpacker, MdsColumns columns) {
        MdsIndex.Zip zip = shard.zip();
        String name = "%s in %s".formatted(entry.key(), files.store().location());
        SampleKey key = SampleKey.of("mds", files.place(entry), columns.words())
                .with(entry.size())
                .with(entry.version());
        StoreFile plain = new StoreFile(files.store(), entry);
        FormatException damage = null;
        try {
            requireSize(name, entry.size(), zip != null && zip.key().equals(entry.key()) ? zip.bytes() : shard.bytes());
            plain = unpacker.unpack(files.store(), entry);
            requireSize(name, plain.size(), shard.bytes());
        } catch (FormatException e) {
            damage = e;
        }
        return new MdsShard(name, entry.key(), key, files.state(entry), plain, shard, damage, new AtomicBoolean());
    }

    private static void requireSomeReadable(List<MdsShard> shards) {
        List<FormatException> damages =
                shards.stream().map(MdsShard::damage).filter(Objects::nonNull).toList();
        if (damages.size() == shards.size()) {
            throw damages.get(0);
        }
        damages.forEach(damage -> Notice.warn(LOG, "samples of a damaged shard fail: {}", damage.getMessage()));
    }

    private static void requireSize(String name, long found, long expected) {
        if (found != expected) {
            throw new FormatException("%s has %d bytes, its index says %d: fetch it again, or write the index again"
                    .formatted(name, found, expected));
        }
    }

    /** How rows are laid out: for batches and caches. */
    public Schema<Row> schema() {
        return schema;
    }

    /** The fields of a row, in order. Those whose dtype or axes the index does not say are as in the first sample. */
    public List<TableField> fields() {
        return List.copyOf(fields);
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
        int part = numbers.part(index);
        int sample = (int) numbers.within(index, part);
        RecordGroup.Piece<Row> held = piece(0, index);
        return held != null
                ? held.load()
                : offsets(part)
                        .flatMap(Thrown.function(
                                found -> piece(0, part, found, sample).load()));
    }

    private Mono<MdsShard.Offsets> offsets(int part) {
        return offsets.get(part, shards.get(part)::offsets);
    }

    @Override
    public int groupSize() {
        return groupSize;
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<Row> receiver) {
        return Flux.fromStream(() -> Arrays.stream(indices)
                        .filter(index -> index >= 0 && index < size())
                        .mapToObj(numbers::part)
                        .distinct())
                .flatMap(part -> offsets(part).onErrorComplete()) // the samples tell why
                .then(RecordGroup.read(indices, this::piece, this::get, receiver));
    }

    /** Null where the offsets are not in memory. */
    private RecordGroup.@Nullable Piece<Row> piece(int place, long index) {
        int part = numbers.part(index);
        MdsShard.Offsets held = offsets.held(part);
        return held == null ? null : piece(place, part, held, (int) numbers.within(index, part));
    }

    private RecordGroup.Piece<Row> piece(int place, int part, MdsShard.Offsets found, int sample) {
        MdsShard shard = shards.get(part);
        long bytes = found.end(sample) - found.start(sample);
        if (bytes > MAX_SAMPLE) {
            throw shard.broken("has %d bytes in sample %d: at most %d are read", bytes, sample, MAX_SAMPLE);
        }
        return new RecordGroup.Piece<>(
                place, part, shard.plain(), found.start(sample), (int) bytes, read -> row(shard, sample, read));
    }

    private Row row(MdsShard shard, int sample, ByteBuffer bytes) {
        try {
            return columns.row(bytes);
        } catch (FormatException e) {
            throw new FormatException("%s, sample %d: %s".formatted(shard.name(), sample, e.getMessage()), e);
        }
    }

    /** The shard and the sample's number in it, from 0: {@code shard.00000.mds:17}. */
    @Override
    public SampleId id(long index) {
        int part = numbers.part(index);
        long sample = numbers.within(index, part);
        MdsShard shard = shards.get(part);
        return SampleId.of(shard.key(sample), () -> shard.file() + ":" + sample, shard::state);
    }

    /** Closes the open files, unless the store was given. */
    @Override
    public void close() {
        files.close();
    }

    @Override
    public String toString() {
        return "MDS samples in %s, %d samples".formatted(files, size());
    }
}
