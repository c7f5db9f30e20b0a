package io.penstock.table.internal.arrow;

import com.github.luben.zstd.Zstd;
import io.penstock.fault.FormatException;
import io.penstock.internal.OptionalLibrary;
import io.penstock.table.internal.MemoryBudget;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;

/** The buffers of a record batch or of a dictionary's values, by the nodes of its schema. For one thread. */
final class ArrowBatch {

    private static final int NOT_COMPRESSED = -1;

    /** The byte of a frame that has its flags, and one of them. */
    private static final int LZ4_FLAGS = 4;

    private static final int LZ4_INDEPENDENT = 0x20;

    /** No byte of lz4 stands for more bytes. */
    private static final int LZ4_RATIO = 255;

    /** What a block of zstd has at least, and what it stands for at most. */
    private static final int ZSTD_HEADER = 3;

    private static final int ZSTD_BLOCK = 128 << 10;

    private final byte[] bytes;
    private final int body;
    private final int length;
    private final byte codec;
    private final MemoryBudget budget;
    private final Map<ArrowNode, Place> places = new HashMap<>();
    private final Map<Long, ByteBuffer> unpacked = new HashMap<>();
    private final long[] offsets;
    private final long[] lengths;

    /**
     * Where the values of a node lie.
     *
     * @param length  how many there are
     * @param buffer  the number of the first buffer
     * @param buffers how many it has
     */
    record Place(int length, int buffer, int buffers) {}

    private static final byte PLAIN = -1;

    private ArrowBatch(byte[] bytes, ArrowMessage message, RecordBatch batch, MemoryBudget budget) {
        this.bytes = bytes;
        this.body = message.prefix() + message.bytes();
        this.budget = budget;
        this.length = count(batch.length());
        BodyCompression compression = batch.compression();
        this.codec = compression == null ? PLAIN : compression.codec();
        if (batch.buffersLength() > message.bytes()) {
            throw new FormatException("a batch claims %d buffers".formatted(batch.buffersLength()));
        }
        this.offsets = new long[batch.buffersLength()];
        this.lengths = new long[batch.buffersLength()];
        for (int i = 0; i < offsets.length; i++) {
            Buffer buffer = batch.buffers(i);
            offsets[i] = buffer.offset();
            lengths[i] = buffer.length();
        }
    }

    /** The batch that a block of bytes is. */
    static ArrowBatch of(byte[] bytes, List<ArrowNode> fields, MemoryBudget budget) {
        ArrowMessage message = ArrowMessage.at(bytes);
        return ArrowMessage.read(() -> {
            RecordBatch batch = message.batch();
            ArrowBatch found = new ArrowBatch(bytes, message, batch, budget);
            int[] next = new int[3];
            for (ArrowNode field : fields) {
                found.place(field, batch, next);
            }
            return found;
        });
    }

    private static int count(long claimed) {
        if (claimed < 0 || claimed > Integer.MAX_VALUE - 8) {
            throw new FormatException("a batch claims %d values".formatted(claimed));
        }
        return (int) claimed;
    }

    /** Gives a node its buffers; {@code next} has the node, the buffer and the variadic count that come next. */
    private void place(ArrowNode node, RecordBatch batch, int[] next) {
        FieldNode values = batch.nodes(next[0]++);
        if (values == null) {
            throw new FormatException("a batch has fewer fields than its schema");
        }
        int count = node.bufferCount();
        if (node.kind == ArrowNode.Kind.VIEW) {
            count += count(batch.variadicBufferCounts(next[2]++));
        }
        if (count < 0 || count > offsets.length - next[1]) {
            throw new FormatException("a batch has %d buffers, too few for its schema".formatted(offsets.length));
        }
        places.put(node, new Place(count(values.length()), next[1], count));
        next[1] += count;
        if (node.kind != ArrowNode.Kind.DICTIONARY) {
            for (ArrowNode child : node.children) {
                place(child, batch, next);
            }
        }
    }

    int length() {
        return length;
    }

    /** Refuses many values that take no bytes: each becomes an entry in memory. */
    void requireBacked(int values) {
        if (values > (long) Byte.SIZE * bytes.length) {
            throw new FormatException("a batch of %d bytes claims %d values".formatted(bytes.length, values));
        }
    }

    Place place(ArrowNode node) {
        Place place = places.get(node);
        if (place == null) {
            throw new FormatException("a batch has no field " + node.name);
        }
        return place;
    }

    /** A buffer of a node, decompressed. */
    ByteBuffer buffer(ArrowNode node, int number) {
        Place place = place(node);
        int at = place.buffer + number;
        return unpacked.computeIfAbsent((long) at, key -> load(at));
    }

    private ByteBuffer load(int number) {
        long offset = offsets[number];
        long size = lengths[number];
        if (offset < 0 || size < 0 || offset > bytes.length - body - size) {
            throw new FormatException("a buffer of %d bytes at byte %d is not in the body of its batch, which has %d"
                    .formatted(size, offset, bytes.length - body));
        }
        ByteBuffer stored =
                ByteBuffer.wrap(bytes, body + (int) offset, (int) size).slice().order(ByteOrder.LITTLE_ENDIAN);
        if (codec == PLAIN || size == 0) {
            return stored;
        }
        if (size < Long.BYTES) {
            throw new FormatException("a compressed buffer has only %d bytes".formatted(size));
        }
        long plain = stored.getLong();
        ByteBuffer packed = stored.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (plain == NOT_COMPRESSED) {
            return packed;
        }
        long most = codec == CompressionType.ZSTD
                ? (packed.remaining() / ZSTD_HEADER + 1L) * ZSTD_BLOCK
                : (long) packed.remaining() * LZ4_RATIO;
        if (plain < 0 || plain > Math.min(most, Integer.MAX_VALUE - 16)) {
            throw new FormatException("a compressed buffer of %d bytes claims to be %d".formatted(size, plain));
        }
        budget.take(plain);
        return ByteBuffer.wrap(unpack(packed, new byte[(int) plain])).order(ByteOrder.LITTLE_ENDIAN);
    }

    private byte[] unpack(ByteBuffer packed, byte[] into) {
        int from = packed.arrayOffset();
        int size = packed.remaining();
        if (codec == CompressionType.ZSTD) {
            OptionalLibrary.ZSTD.require("Arrow in zstd", ArrowBatch.class);
        } else if (codec == CompressionType.LZ4_FRAME) {
            OptionalLibrary.LZ4.require("Arrow in lz4", ArrowBatch.class);
        }
        boolean linked = codec == CompressionType.LZ4_FRAME && isLinked(packed);
        if (linked) {
            OptionalLibrary.COMPRESS.require("Arrow in lz4 with linked blocks", ArrowBatch.class);
        }
        try {
            if (codec == CompressionType.ZSTD) {
                long count = Zstd.decompressByteArray(into, 0, into.length, packed.array(), from, size);
                return whole(into, (int) count);
            }
            if (codec != CompressionType.LZ4_FRAME) {
                throw new FormatException("a batch has the unknown compression %d".formatted(codec));
            }
            ByteArrayInputStream frame = new ByteArrayInputStream(packed.array(), from, size);
            if (linked) {
                try (var in = new FramedLZ4CompressorInputStream(frame)) {
                    return whole(into, in.readNBytes(into, 0, into.length));
                }
            }
            try (var in = new LZ4FrameInputStream(frame)) {
                return whole(into, in.readNBytes(into, 0, into.length));
            }
        } catch (IOException | RuntimeException e) { // both libraries throw several for damaged bytes
            throw e instanceof FormatException known
                    ? known
                    : new FormatException("a compressed buffer is damaged: " + reason(e));
        }
    }

    /**
     * Whether the blocks of a frame refer to those before them, as Polars lets them. lz4-java does
     * not read such frames; Commons Compress does, and is slower.
     */
    private static boolean isLinked(ByteBuffer frame) {
        return frame.remaining() > LZ4_FLAGS && (frame.get(LZ4_FLAGS) & LZ4_INDEPENDENT) == 0;
    }

    private String reason(Exception e) {
        return e instanceof IOException || codec == CompressionType.ZSTD
                ? String.valueOf(e.getMessage())
                : "no such block";
    }

    private static byte[] whole(byte[] bytes, int count) {
        if (count != bytes.length) {
            throw new FormatException("a compressed buffer claims %d bytes, has %d".formatted(bytes.length, count));
        }
        return bytes;
    }
}
