package io.penstock.internal.index;

import io.penstock.cache.SampleKey;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of summaries of parts of a dataset, by the keys of the parts. It is written under the name of an unfinished file,
 * and gets its final name when all are there.
 * <pre>
 *  magic, 8 bytes | entry | entry | …
 *  entry: key, 16 bytes | n, 4 bytes | CRC-32C of the summary, 4 bytes | summary, n bytes      all big-endian
 * </pre>
 */
public final class SummaryFile implements IndexFolder.Kept {

    private static final long MAGIC = 0x5053_534D_0000_0001L; // PSSM, version 1
    private static final int HEADER = 3 * Long.BYTES;
    private static final int BUFFER = 1 << 16;

    private final Path path;
    private final FileChannel channel;
    private final DataOutputStream out;

    @FunctionalInterface
    interface Entries {
        void entry(SampleKey key, long offset, int length);
    }

    private SummaryFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
        this.out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER));
    }

    static SummaryFile create(Path path) throws IOException {
        SummaryFile file =
                new SummaryFile(path, FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        file.out.writeLong(MAGIC);
        return file;
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

    /** Writes what was added, so that it outlives the process. */
    public void flush() throws IOException {
        synchronized (out) {
            out.flush();
        }
    }

    @Override
    public void finish(Path name) throws IOException {
        flush();
        channel.force(true);
        AtomicFile.rename(path, name);
    }

    /** Keeps what was added. */
    @Override
    public void close() throws IOException {
        try (channel) {
            if (channel.isOpen()) {
                flush();
            }
        }
    }

    /** Reads a file up to its end or to the first entry that is not whole; nothing of a file that is none. */
    static void read(Path path, Entries entries) throws IOException {
        long size = Files.size(path);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), BUFFER))) {
            if (in.readLong() != MAGIC) {
                return;
            }
            for (long at = Long.BYTES; at < size; ) {
                SampleKey key = new SampleKey(in.readLong(), in.readLong());
                int length = in.readInt();
                int checksum = in.readInt();
                if (length < 0 || length > size - at - HEADER || Crc32c.of(in.readNBytes(length)) != checksum) {
                    return;
                }
                entries.entry(key, at + HEADER, length);
                at += HEADER + length;
            }
        } catch (EOFException e) {
            return; // a process was killed while it wrote the entry
        }
    }
}
