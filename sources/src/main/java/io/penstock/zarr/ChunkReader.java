package io.penstock.zarr;

import io.penstock.fault.DataException;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.store.internal.ChunkCache;
import io.penstock.tensor.Shape;
import io.penstock.zarr.StoredChunks.Part;
import io.penstock.zarr.internal.codec.CodecChain;
import io.penstock.zarr.internal.codec.ShardIndex;
import io.penstock.zarr.internal.codec.ShardingCodec;
import io.penstock.zarr.internal.element.ChunkTensor;
import io.penstock.zarr.internal.element.Grid;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Fetches and decodes chunks: those under a key of their own whole, those in shards by the range that the shard's index
 * says. Indexes are kept, and each is read once for all concurrent readers.
 */
final class ChunkReader {

    private static final long INDEX_BUDGET = 32L << 20;

    private final StoredChunks stored;
    private final String path;
    private final ArrayMetadata metadata;
    private final List<ShardingCodec> shardings;
    private final List<Shape> levels;
    private final Shape leaf;
    private final Grid grid;
    private final CodecChain codecs;
    private final long maxBytes;
    private final ChunkCache<Shard> shards = new ChunkCache<>(INDEX_BUDGET, Shard::bytes);

    /** An open shard: the entry it lies in, where in it, and its index; without an index it is not stored. */
    private record Shard(@Nullable Part part, @Nullable ShardIndex index) {
        static final Shard ABSENT = new Shard(null, null);

        long bytes() {
            return 256 + (index == null ? 0 : 20L * index.size());
        }
    }

    ChunkReader(StoredChunks stored, String path, ArrayMetadata metadata, long maxBytes) {
        this.stored = stored;
        this.path = path;
        this.metadata = metadata;
        this.shardings = metadata.shardings();
        this.levels = metadata.levels();
        this.leaf = levels.get(levels.size() - 1);
        this.grid = Grid.over(metadata.shape(), leaf);
        this.codecs = metadata.innermost();
        this.maxBytes = maxBytes;
    }

    /** The chunks that are read one at a time. */
    Grid grid() {
        return grid;
    }

    /** A chunk by its place in C order. */
    Mono<Chunk> read(long index) {
        long[] at = grid.coordinates(index);
        return Mono.defer(() -> {
                    requireBounded();
                    return levels.size() == 1 ? plain(at) : inShard(at);
                })
                .onErrorMap(RuntimeException.class, e -> failed(at, e));
    }

    /** Metadata with a chunk too large for memory is wrong or hostile. */
    private void requireBounded() {
        int width = Math.max(Integer.BYTES, metadata.type().width());
        if (leaf.elements() > maxBytes / width) {
            throw new FormatException("a chunk must have at most %d bytes, is %s%s; raise maxChunkBytes, or -Xmx"
                    .formatted(maxBytes, metadata.type().name(), leaf));
        }
    }

    private Mono<Chunk> plain(long[] at) {
        return stored.find(path + metadata.keys().of(at), encodedBytes(), this::decode)
                .defaultIfEmpty(Chunk.MISSING);
    }

    private int encodedBytes() {
        return codecs.encodedBytes(leaf, metadata.type(), maxBytes);
    }

    private Chunk decode(ByteBuffer bytes) {
        try {
            byte[] elements = codecs.decode(CodecChain.array(bytes), leaf, metadata.type(), maxBytes);
            return new Chunk(ChunkTensor.of(elements, leaf, metadata.type()));
        } catch (IndexOutOfBoundsException | BufferUnderflowException | NegativeArraySizeException e) {
            throw new FormatException("bytes are damaged: " + e.getMessage(), e);
        }
    }

    private Mono<Chunk> inShard(long[] at) {
        int last = levels.size() - 1;
        return shard(last - 1, at).flatMap(shard -> {
            Part part = shard.index == null ? null : inner(shard, last, at);
            return part == null ? Mono.just(Chunk.MISSING) : stored.read(part, 0, (int) part.length(), this::decode);
        });
    }

    /** The shard of a level that holds a chunk. */
    private Mono<Shard> shard(int level, long[] leafAt) {
        long[] at = at(level, leafAt);
        Grid shardGrid = Grid.over(metadata.shape(), levels.get(level));
        // levels share one map: their numbers are told apart by what is left over
        long number = Math.addExact(Math.multiplyExact(shardGrid.index(at), levels.size()), level);
        return shards.get(number, () -> open(level, leafAt))
                .onErrorMap(
                        ArithmeticException.class,
                        e -> new FormatException("array %s has too many shards".formatted(metadata.shape()), e));
    }

    private Mono<Shard> open(int level, long[] leafAt) {
        if (level == 0) {
            String key = path + metadata.keys().of(at(0, leafAt));
            return stored.entry(key)
                    .flatMap(entry -> index(0, new Part(entry, 0, entry.size())))
                    .defaultIfEmpty(Shard.ABSENT);
        }
        return shard(level - 1, leafAt).flatMap(outer -> {
            Part part = outer.index == null ? null : inner(outer, level, leafAt);
            return part == null ? Mono.just(Shard.ABSENT) : index(level, part);
        });
    }

    private Mono<Shard> index(int level, Part part) {
        ShardingCodec sharding = shardings.get(level);
        Shape per = sharding.perShard(levels.get(level));
        int indexBytes = sharding.indexBytes(per);
        long from = sharding.indexAt(part.length(), indexBytes);
        int max = sharding.codecs().isOnlySharding()
                ? Integer.MAX_VALUE
                : sharding.codecs().encodedBytes(sharding.inner(), metadata.type(), maxBytes);
        return stored.read(
                part,
                from,
                indexBytes,
                bytes -> new Shard(part, sharding.readIndex(CodecChain.array(bytes), per, part.length(), max)));
    }

    /** Where an inner chunk of a level lies; null if it is not stored. */
    private @Nullable Part inner(Shard shard, int level, long[] leafAt) {
        Shape per = shardings.get(level - 1).perShard(levels.get(level - 1));
        long[] at = at(level, leafAt);
        for (int i = 0; i < at.length; i++) {
            at[i] %= per.dim(i);
        }
        int inner = (int) Grid.index(at, per);
        Part part = shard.part;
        ShardIndex index = shard.index;
        return part == null || index == null || !index.has(inner)
                ? null
                : part.slice(index.offset(inner), index.length(inner));
    }

    private long[] at(int level, long[] leafAt) {
        long[] at = new long[leafAt.length];
        for (int i = 0; i < at.length; i++) {
            at[i] = leafAt[i] / (levels.get(level).dim(i) / leaf.dim(i));
        }
        return at;
    }

    /** The key of the file that holds a chunk. */
    String key(long index) {
        return keyAt(at(0, grid.coordinates(index)));
    }

    /** The key at a place among the keys. */
    String keyAt(long[] place) {
        return path + metadata.keys().of(place);
    }

    private DataException failed(long[] at, RuntimeException cause) {
        String where = "chunk %s in %s"
                .formatted(path + metadata.keys().of(at(0, at)), stored.store().location());
        if (levels.size() > 1) {
            where = "inner chunk %s of %s".formatted(java.util.Arrays.toString(at), where);
        }
        if (cause instanceof FormatException || !(cause instanceof DataException)) {
            return new FormatException("cannot decode %s: %s".formatted(where, cause.getMessage()), cause);
        }
        return new StoreException("cannot read %s: %s".formatted(where, cause.getMessage()), cause);
    }
}
