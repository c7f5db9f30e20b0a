package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.element.ChunkTensor;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.FillValue;
import io.penstock.zarr.internal.element.Grid;
import io.penstock.zarr.internal.element.RegionCells;
import java.util.Arrays;

/**
 * Many inner chunks in one chunk, with an index of where each lies.
 *
 * @param inner   the shape of an inner chunk
 * @param codecs  of each inner chunk
 * @param index   the codecs of the index
 * @param atStart whether the index comes first
 * @param fill    what inner chunks that are not stored hold
 * @see <a href="https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html">sharding_indexed</a>
 */
public record ShardingCodec(Shape inner, CodecChain codecs, CodecChain index, boolean atStart, FillValue fill)
        implements ArrayToBytes {

    public static final ElementType NUMBERS = new ElementType("uint64", ElementType.Kind.NUMBER, DType.U64, 1, false);
    private static final int MAX_INNER = 1 << 24;

    @Override
    public String name() {
        return "sharding_indexed";
    }

    /** How many inner chunks lie along each axis of a shard. */
    public Shape perShard(Shape shard) {
        if (inner.rank() != shard.rank()) {
            throw new FormatException(
                    "inner chunks must have the shard's %d axes, are %s".formatted(shard.rank(), inner));
        }
        long[] dims = new long[shard.rank()];
        for (int i = 0; i < dims.length; i++) {
            if (inner.dim(i) < 1 || shard.dim(i) % inner.dim(i) != 0) {
                throw new FormatException("inner chunks must divide the shard %s, are %s".formatted(shard, inner));
            }
            dims[i] = shard.dim(i) / inner.dim(i);
        }
        Shape per = Shape.of(dims);
        if (per.elements() > MAX_INNER) {
            throw new FormatException(
                    "a shard must have at most %d inner chunks, has %d".formatted(MAX_INNER, per.elements()));
        }
        return per;
    }

    public int indexBytes(Shape perShard) {
        index.requireExact("a shard index");
        return index.encodedBytes(ShardIndex.shape(perShard), NUMBERS, Integer.MAX_VALUE);
    }

    /** The offset of the index in a shard of this size. */
    public long indexAt(long shardBytes, int indexBytes) {
        if (indexBytes > shardBytes) {
            throw new FormatException(
                    "a shard must hold its index of %d bytes, has %d".formatted(indexBytes, shardBytes));
        }
        return atStart ? 0 : shardBytes - indexBytes;
    }

    public ShardIndex readIndex(byte[] encoded, Shape perShard, long shardBytes, int max) {
        byte[] numbers = index.decode(encoded, ShardIndex.shape(perShard), NUMBERS, Integer.MAX_VALUE);
        return ShardIndex.of(numbers, shardBytes, indexAt(shardBytes, encoded.length), encoded.length, max);
    }

    /** The whole shard, where it cannot be read in parts because something was done to all of it. */
    @Override
    public byte[] decode(byte[] encoded, Shape shape, ElementType type, long max) {
        Shape per = perShard(shape);
        int indexBytes = indexBytes(per);
        int from = (int) indexAt(encoded.length, indexBytes);
        int maxInner = codecs.encodedBytes(inner, type, max);
        ShardIndex found =
                readIndex(Arrays.copyOfRange(encoded, from, from + indexBytes), per, encoded.length, maxInner);
        RegionCells whole = new RegionCells(type, fill, new long[shape.rank()], shape);
        for (int i = 0; i < found.size(); i++) {
            if (found.has(i)) {
                int at = (int) found.offset(i);
                byte[] bytes = Arrays.copyOfRange(encoded, at, at + found.length(i));
                long[] corner = Grid.corner(i, per, inner);
                whole.put(ChunkTensor.of(codecs.decode(bytes, inner, type, max), inner, type), corner, inner);
            } else {
                whole.putFill(Grid.corner(i, per, inner), inner);
            }
        }
        return whole.bytes();
    }

    @Override
    public long encodedBytes(Shape shape, ElementType type, long max) {
        Shape per = perShard(shape);
        long inside = Math.min(Integer.MAX_VALUE, codecs.encodedBytes(inner, type, max)) * per.elements();
        return Math.min(
                max, inside + indexBytes(per)); // before a compressor that may follow, so it bounds what it gives
    }
}
