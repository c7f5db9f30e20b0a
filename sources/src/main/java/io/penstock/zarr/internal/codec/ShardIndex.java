package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Where in a shard its inner chunks lie, in C order; checked against the shard's size and against each other. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ShardIndex(long[] offsets, int[] lengths) {

    /** Each entry is an offset and a length. */
    static final int ENTRY_BYTES = 2 * Long.BYTES;

    private static final long ABSENT = -1;

    /**
     * Reads the index of a shard, and checks it against the shard's size.
     * @param numbers    offset and length of each inner chunk, as unsigned little-endian numbers of 64 bits
     * @param shardBytes the size of the shard
     * @param from       where in it the index begins
     * @param indexBytes and how long it is
     * @param max        bytes an inner chunk may have
     */
    public static ShardIndex of(byte[] numbers, long shardBytes, long from, long indexBytes, int max) {
        ByteBuffer entries = ByteBuffer.wrap(numbers).order(ByteOrder.LITTLE_ENDIAN);
        int count = numbers.length / ENTRY_BYTES;
        long[] offsets = new long[count];
        int[] lengths = new int[count];
        List<Integer> present = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long offset = entries.getLong();
            long length = entries.getLong();
            offsets[i] = offset;
            if (offset == ABSENT && length == ABSENT) {
                continue;
            }
            if (offset < 0 || length < 0 || offset > shardBytes || length > shardBytes - offset) {
                throw new FormatException(
                        "shard index: inner chunk %d must lie within the shard's %d bytes, is at %s with %s bytes"
                                .formatted(
                                        i, shardBytes, Long.toUnsignedString(offset), Long.toUnsignedString(length)));
            }
            if (length > max) {
                throw new FormatException(
                        "shard index: inner chunk %d must have at most %d bytes, has %d".formatted(i, max, length));
            }
            if (length > 0 && offset < from + indexBytes && from < offset + length) {
                throw new FormatException("shard index: inner chunk %d overlaps the index: bytes [%d, %d)"
                        .formatted(i, offset, offset + length));
            }
            lengths[i] = (int) length;
            if (length > 0) {
                present.add(i);
            }
        }
        refuseOverlap(offsets, lengths, present);
        return new ShardIndex(offsets, lengths);
    }

    private static void refuseOverlap(long[] offsets, int[] lengths, List<Integer> present) {
        present.sort(Comparator.comparingLong(i -> offsets[i]));
        for (int i = 1; i < present.size(); i++) {
            int one = present.get(i - 1);
            int two = present.get(i);
            if (offsets[one] + lengths[one] > offsets[two]) {
                throw new FormatException("shard index: inner chunks %d and %d overlap at byte %d of the shard"
                        .formatted(one, two, offsets[two]));
            }
        }
    }

    /** The shape of an index: the inner chunks, and two numbers for each. */
    static Shape shape(Shape chunksPerShard) {
        long[] dims = Arrays.copyOf(chunksPerShard.toArray(), chunksPerShard.rank() + 1);
        dims[chunksPerShard.rank()] = 2;
        return Shape.of(dims);
    }

    public int size() {
        return offsets.length;
    }

    public boolean has(int chunk) {
        return offsets[chunk] != ABSENT;
    }

    public long offset(int chunk) {
        return offsets[chunk];
    }

    public int length(int chunk) {
        return lengths[chunk];
    }
}
