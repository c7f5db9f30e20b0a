package io.penstock.zarr;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import io.penstock.pipeline.Dataset;
import io.penstock.store.Store;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.element.RegionCells;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * An array of Zarr v2 or v3 in a store, whose rows, windows and chunks are datasets.
 *
 * <p>Numbers keep their dtype, little-endian and in C order however they are stored; complex ones and raw bytes get an
 * axis more ({@code f32[n, 2]}, {@code u8[n, 16]}), dates are {@code i64}. Texts, of one length or any, come as their
 * UTF-8, each followed by a line feed: {@code u8[bytes]}; {@link #texts} gives them one by one.
 *
 * <p>A chunk, or an inner chunk of a shard by its range, is fetched and decoded once for all samples that need it at
 * the same time, and kept decoded while it is among the last used, up to {@link #chunkCacheBytes}. Larger or persisted
 * caches are the same ones that samples have: {@code array.over(array.chunks().cache(tier, schema))}.
 *
 * <p>The fingerprint and the keys of samples hold the store's location, the array's path and what its metadata says of
 * its codecs, types and chunks. So a changed metadata document is noticed, and an array that grew keeps the keys of the
 * rows it had; chunks that are rewritten under the same metadata are noticed only by {@link #checkingChunks}.
 *
 * <p>Reads run where the store runs them. Decoding follows on the same thread if that may block, as those that read
 * files do, and is on the {@linkplain io.penstock.stream.Execution#standard standard} workers otherwise, unless {@link
 * #decodeOn} says where; a sample whose chunks are at hand is made on the thread that asks. Immutable and thread-safe;
 * the store stays the caller's to close. Errors are {@link io.penstock.fault.StoreException}s and {@link
 * io.penstock.fault.FormatException}s that name the store, the chunk and the codec.
 * @see <a href="https://zarr-specs.readthedocs.io/">the Zarr specifications</a>
 */
public final class ZarrArray {

    /** A chunk lies in memory as it is stored, and decoded. */
    private static final long MAX_CHUNK_BYTES = HeapLimit.of(1L << 30, 2);

    private static final long CACHE_BYTES = 128L << 20;

    private final Source source;
    private final ArrayMetadata metadata;
    private final Settings settings;
    private final ChunkStates states;
    private final ChunkReader reader;
    private final Regions regions;

    private record Source(Store store, String path) {}

    private record Settings(
            long maxChunkBytes,
            long cacheBytes,
            @Nullable Scheduler decoding,
            @Nullable Dataset<Tensor> chunks) {}

    private ZarrArray(Source source, ArrayMetadata metadata, Settings settings, ChunkStates states) {
        this.source = source;
        this.metadata = metadata;
        this.settings = settings;
        this.states = states;
        String prefix = source.path.isEmpty() ? "" : source.path + "/";
        this.reader = new ChunkReader(
                new StoredChunks(source.store, states, settings.decoding), prefix, metadata, settings.maxChunkBytes);
        Dataset<Tensor> chunks = settings.chunks;
        this.regions = new Regions(
                metadata,
                reader.grid(),
                chunks == null ? reader::read : index -> chunks.get(index).map(Chunk::new),
                settings.cacheBytes);
    }

    static ZarrArray of(Store store, String path, ArrayMetadata metadata) {
        Settings settings = new Settings(MAX_CHUNK_BYTES, CACHE_BYTES, null, null);
        return new ZarrArray(new Source(store, path), metadata, settings, ChunkStates.UNKNOWN);
    }

    /**
     * The array at a path of a store; the empty path is the store itself. Where there is metadata of both versions,
     * v3's. Fails with a {@link io.penstock.fault.StoreException} if there is no array, and with a {@link
     * io.penstock.fault.FormatException} if its metadata is broken or asks for what is not supported.
     * @throws IllegalArgumentException if the path leads out of the store
     */
    public static Mono<ZarrArray> open(Store store, String path) {
        return new Metadata(store, path).array(List.of(ZarrFormat.V3, ZarrFormat.V2));
    }

    /** The same, by the metadata of one version. */
    public static Mono<ZarrArray> open(Store store, String path, ZarrFormat format) {
        return new Metadata(store, path).array(List.of(format));
    }

    /**
     * Another limit of a chunk's decoded size; 1 GiB unless set. Larger ones fail when they are read, before they
     * take memory.
     * @throws IllegalArgumentException unless it is in [1, 2^31 - 9]
     */
    public ZarrArray maxChunkBytes(long bytes) {
        if (bytes < 1 || bytes > HeapLimit.MAX_ARRAY) {
            throw new IllegalArgumentException(
                    "largest chunk must be in [1, %d] bytes, was %d".formatted(HeapLimit.MAX_ARRAY, bytes));
        }
        return with(new Settings(bytes, settings.cacheBytes, settings.decoding, settings.chunks));
    }

    /**
     * Another budget for decoded chunks, bytes of Java heap; 128 MiB unless set. The newest chunk is kept in any case.
     * @throws IllegalArgumentException if it is negative
     */
    public ZarrArray chunkCacheBytes(long bytes) {
        Arguments.refuse(bytes < 0, "budget for chunks must not be negative, was %s", bytes);
        return with(new Settings(settings.maxChunkBytes, bytes, settings.decoding, settings.chunks));
    }

    /** Decodes chunks on another scheduler, whose threads it does not block; it stays the caller's to dispose. */
    public ZarrArray decodeOn(Scheduler scheduler) {
        return with(new Settings(settings.maxChunkBytes, settings.cacheBytes, scheduler, settings.chunks));
    }

    private ZarrArray with(Settings other) {
        return new ZarrArray(source, metadata, other, states);
    }

    /**
     * The same array with the sizes and versions of all its stored chunks in its keys and fingerprint, as they are now:
     * a chunk that was rewritten gives its samples new keys, and only them. One that is written later fails to be
     * read: its bytes must not be kept under a key of what they were. Lists the store, on a thread that may block; some
     * 170 bytes of memory a stored chunk.
     */
    public Mono<ZarrArray> checkingChunks() {
        return ChunkStates.list(source.store, source.path)
                .map(listed -> new ZarrArray(source, metadata, settings, listed));
    }

    /**
     * The same array with its chunks taken from a dataset: {@link #chunks} of it through a cache. They are then held
     * there, and here the newest alone unless {@link #chunkCacheBytes} is set on what this returns.
     * @throws IllegalArgumentException if it has another number of chunks
     */
    public ZarrArray over(Dataset<Tensor> chunks) {
        if (chunks.size() != reader.grid().size()) {
            throw new IllegalArgumentException("array has %d chunks, the dataset has %d"
                    .formatted(reader.grid().size(), chunks.size()));
        }
        return with(new Settings(settings.maxChunkBytes, 0, settings.decoding, chunks));
    }

    /** The path within the store. */
    public String path() {
        return source.path;
    }

    public ZarrFormat format() {
        return metadata.format();
    }

    public Shape shape() {
        return metadata.shape();
    }

    /** The shape of what lies under one key: a chunk, or a shard. */
    public Shape chunkShape() {
        return metadata.chunk();
    }

    /** The shape of what is read and decoded at a time: a chunk, or an inner chunk of a shard. */
    public Shape readShape() {
        return reader.grid().chunk();
    }

    /** The dtype of its tensors; {@code u8} for texts and raw bytes. */
    public DType dtype() {
        return metadata.type().dtype();
    }

    /** The data type in the metadata's words: {@code <f4}, {@code float32}, {@code |S7}. */
    public String dataType() {
        return metadata.type().name();
    }

    /** Whether its elements are texts, and so its tensors lines. */
    public boolean isText() {
        return metadata.type().isLines();
    }

    /** The codecs' names, in the order in which they wrote. */
    public List<String> codecs() {
        return metadata.codecs().names();
    }

    /** The axes' names, of v3 or as xarray writes them; empty if they have none. */
    public List<String> dimensionNames() {
        return metadata.dimensionNames();
    }

    /** The user's attributes as JSON. */
    public String attributes() {
        return metadata.attributes();
    }

    /** One element that stands for those not stored; a text with its line feed. */
    public Tensor fillValue() {
        RegionCells one = new RegionCells(metadata.type(), metadata.fill(), new long[0], Shape.SCALAR);
        one.putFill(new long[0], Shape.SCALAR);
        return one.tensor(Shape.SCALAR);
    }

    /** The whole array; see {@link #read(long[], long[])}. */
    public Mono<Tensor> read() {
        return read(new long[shape().rank()], shape().toArray());
    }

    /**
     * The elements from {@code start} up to, not including, {@code stop} along each axis.
     * @throws IllegalArgumentException if the region is not within the array, or has 2 GiB or more
     */
    public Mono<Tensor> read(long[] start, long[] stop) {
        Shape region = Regions.between(start, stop, shape());
        return regions.tensor(start.clone(), region, region);
    }

    /**
     * The texts of a region, in C order.
     * @throws IllegalArgumentException as for {@link #read(long[], long[])}, or if elements are no texts
     */
    public Mono<List<String>> texts(long[] start, long[] stop) {
        if (!isText()) {
            throw new IllegalArgumentException("elements must be texts, are " + dataType());
        }
        return regions.read(start.clone(), Regions.between(start, stop, shape()), RegionCells::strings);
    }

    /**
     * One sample an index of the first axis: {@code f32[n, h, w]} becomes n times {@code f32[h, w]}.
     * @throws IllegalArgumentException if the array is a scalar
     */
    public Dataset<Tensor> rows() {
        return ZarrWindows.rows(this);
    }

    /**
     * All windows of a shape, the one at the array's first corner first, moved on along the last axis, then along the
     * one before. What does not fill a whole window at the far edges is left out.
     * @param window its length along each axis
     * @param stride how far the next one begins along each axis
     * @throws IllegalArgumentException if they do not have a length of at least 1 for each axis, or a window does not
     *     fit
     */
    public Dataset<Tensor> windows(Shape window, Shape stride) {
        return ZarrWindows.of(this, window, stride);
    }

    /**
     * Its chunks in C order, each of {@link #readShape}: those at the far edges reach over it. What is not stored comes
     * filled. Texts of any length come as {@code u8[bytes]}: their offsets, one more than there are texts, as 32-bit
     * numbers, then their bytes.
     */
    public Dataset<Tensor> chunks() {
        return new ZarrChunks(this);
    }

    /** The store, the path, the metadata and the chunks' states: all that decides the values. */
    Fingerprint fingerprint() {
        return Fingerprint.of("zarr", source.store.location(), source.path, metadata.state(), shape().toString())
                .with(states.all());
    }

    String location() {
        return source.store.location();
    }

    Fingerprint identity() {
        return Fingerprint.of("zarr", source.store.location(), source.path, metadata.state());
    }

    ArrayMetadata metadata() {
        return metadata;
    }

    Regions regions() {
        return regions;
    }

    ChunkReader reader() {
        return reader;
    }

    ChunkStates states() {
        return states;
    }

    @Override
    public String toString() {
        return "zarr array %s in %s: %s%s, chunks %s, %s"
                .formatted(
                        source.path.isEmpty() ? "/" : source.path,
                        source.store.location(),
                        dataType(),
                        shape(),
                        readShape(),
                        metadata.codecs());
    }
}
