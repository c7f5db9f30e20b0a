package io.penstock.internal.index;

import io.penstock.cache.SampleKey;
import io.penstock.internal.Crc32c;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Summaries of parts of a dataset, by the keys of the parts: those in files of earlier passes, read from there when they are
 * asked for, and a file of this pass. It is written under the name of an unfinished file, and gets its final name when all
 * are there. Memory: about 100 bytes a summary.
 * <pre>
 *  magic, 8 bytes | entry | entry | …
 *  entry: key, 16 bytes | n, 4 bytes | CRC-32C of the summary, 4 bytes | summary, n bytes      all big-endian
 * </pre>
 */
public final class Summaries extends IndexFolder.Kept {

    private static final long MAGIC = 0x5053_534D_0000_0001L; // PSSM, version 1
    private static final int HEADER = 3 * Long.BYTES;
    private static final int BUFFER = 1 << 16;

    private final List<FileChannel> files = new ArrayList<>();
    private final Map<SampleKey, Place> known = new HashMap<>();
    private final DataOutputStream out;

    private record Place(FileChannel file, long offset, int length) {}

    private Summaries(Path path) throws IOException {
        super(path);
        files.add(file);
        this.out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(file), BUFFER));
    }

    static Summaries create(Path path, List<Path> earlier) throws IOException {
        Summaries summaries = new Summaries(path);
        try {
            summaries.out.writeLong(MAGIC);
            for (Path each : earlier) {
                summaries.read(each);
            }
            return summaries;
        } catch (IOException | RuntimeException e) {
            summaries.close();
            throw e;
        }
    }

    /** Reads a file up to its end or to the first entry that is not whole; nothing of a file that is none. */
    private void read(Path earlier) throws IOException {
        FileChannel there = FileChannel.open(earlier);
        files.add(there);
        long size = there.size();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(earlier), BUFFER))) {
            if (size < Long.BYTES || in.readLong() != MAGIC) {
                return;
            }
            for (long at = Long.BYTES; size - at >= HEADER; ) {
                SampleKey key = new SampleKey(in.readLong(), in.readLong());
                int length = in.readInt();
                int checksum = in.readInt();
                // not whole where a process was killed while it wrote the entry
                if (length < 0 || length > size - at - HEADER || Crc32c.of(in.readNBytes(length)) != checksum) {
                    return;
                }
                known.put(key, new Place(there, at + HEADER, length));
                at += HEADER + length;
            }
        }
    }

    /** Whether an earlier pass has the summary of a key. */
    public boolean has(SampleKey key) {
        return known.containsKey(key);
    }

    /** The summary of a key that an earlier pass has. */
    public byte[] get(SampleKey key) throws IOException {
        Place place = Objects.requireNonNull(known.get(key), key::toString);
        ByteBuffer bytes = ByteBuffer.allocate(place.length);
        while (bytes.hasRemaining()) {
            if (place.file.read(bytes, place.offset + bytes.position()) < 0) {
                throw new EOFException("a file of summaries was cut while it was read");
            }
        }
        return bytes.array();
    }

    /** Called by several threads. */
    public void add(SampleKey key, byte[] summary) throws IOException {
        synchronized (out) {
            out.writeLong(key.high());
            out.writeLong(key.low());
            out.writeInt(summary.length);
            out.writeInt(Crc32c.of(summary));
            out.write(summary);
        }
    }

    @Override
    public void flush() throws IOException {
        synchronized (out) {
            out.flush();
        }
    }

    /** Keeps what was added. */
    @Override
    public void close() throws IOException {
        try {
            if (file.isOpen()) {
                flush();
            }
        } finally {
            for (FileChannel each : files) {
                each.close();
            }
        }
    }
}
