package io.penstock.internal.index;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.Crc32c;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file of counts: for each sample, in their order, 64 bits of its key and its count. It is written block by block, each
 * with a checksum, under the name of an unfinished file. When all are there it gets its final name. Not thread-safe.
 * <pre>
 *  magic, 8 bytes | fingerprint, 16 bytes | block | block | …
 *  block: n, 4 bytes | n times (key, 8 bytes; count, 4 bytes) | CRC-32C of both, 4 bytes      all big-endian
 * </pre>
 */
public final class CountFile extends IndexFolder.Kept {

    private static final long MAGIC = 0x5053_4958_0000_0001L; // PSIX, version 1
    private static final int ENTRY = Long.BYTES + Integer.BYTES;
    private static final int BLOCK = 4096;

    private final ByteBuffer block = ByteBuffer.allocate(2 * Integer.BYTES + BLOCK * ENTRY);

    @FunctionalInterface
    interface Entries {
        void entry(long key, int count);
    }

    /**
     * What was read of a file.
     *
     * @param entries in blocks that match their checksums, up to the first that does not
     * @param whole   whether all blocks do
     */
    record Content(long entries, boolean whole) {
        private static final Content NONE = new Content(0, false);
    }

    private CountFile(Path path) throws IOException {
        super(path);
        block.position(Integer.BYTES);
    }

    static CountFile create(Path path, Fingerprint fingerprint) throws IOException {
        CountFile file = new CountFile(path);
        file.write(ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(MAGIC)
                .putLong(fingerprint.high())
                .putLong(fingerprint.low())
                .flip());
        return file;
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    public void add(long key, int count) throws IOException {
        block.putLong(key).putInt(count);
        if (block.remaining() == Integer.BYTES) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        int entries = (block.position() - Integer.BYTES) / ENTRY;
        if (entries > 0) {
            block.putInt(0, entries);
            block.putInt(Crc32c.of(block.array(), 0, block.position()));
            write(block.flip());
            block.clear().position(Integer.BYTES);
        }
    }

    /** Keeps what was added. */
    @Override
    public void close() throws IOException {
        try (file) {
            flush();
        }
    }

    /**
     * Reads a file up to its end or to the first block that is not whole.
     * @param fingerprint that it must be of; any if null
     * @return nothing if it is of another fingerprint, or no such file
     */
    static Content read(Path path, @Nullable Fingerprint fingerprint, Entries entries) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16))) {
            boolean ours = in.readLong() == MAGIC;
            long high = in.readLong();
            long low = in.readLong();
            if (!ours || fingerprint != null && (high != fingerprint.high() || low != fingerprint.low())) {
                return Content.NONE;
            }
            return readBlocks(in, entries);
        } catch (EOFException e) {
            return Content.NONE;
        }
    }

    private static Content readBlocks(DataInputStream in, Entries entries) throws IOException {
        long total = 0;
        byte[] bytes = new byte[Integer.BYTES + BLOCK * ENTRY];
        int begun;
        while ((begun = in.readNBytes(bytes, 0, Integer.BYTES)) == Integer.BYTES) {
            ByteBuffer read = ByteBuffer.wrap(bytes);
            int count = read.getInt();
            int length = Integer.BYTES + count * ENTRY;
            if (count < 1 || count > BLOCK || in.readNBytes(bytes, Integer.BYTES, count * ENTRY) < count * ENTRY) {
                return new Content(total, false);
            }
            byte[] checksum = in.readNBytes(Integer.BYTES);
            if (checksum.length < Integer.BYTES || ByteBuffer.wrap(checksum).getInt() != Crc32c.of(bytes, 0, length)) {
                return new Content(total, false);
            }
            for (int i = 0; i < count; i++) {
                entries.entry(read.getLong(), read.getInt());
            }
            total += count;
        }
        return new Content(total, begun == 0);
    }
}
