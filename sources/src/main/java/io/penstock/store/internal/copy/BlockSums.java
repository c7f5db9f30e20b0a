package io.penstock.store.internal.copy;

import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import io.penstock.store.internal.FileNames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.zip.CRC32C;

/**
 * The checksums of a local copy, one a block of 64 KiB, which are kept in a file beside it. A block is checked when it
 * is first read since the copy was opened, so that a range of a large copy costs no more than its blocks.
 *
 * <pre>
 *  magic i64, version i32, bytes of a block i32, bytes of the copy i64, CRC32C of each block n × i32, CRC32C of all that i32
 * </pre>
 *
 * <p>Big-endian. The checksums get their name before the copy does, so a copy without them is of an older version, or
 * damaged, and is not used.
 */
public final class BlockSums {

    static final int BLOCK = 64 << 10;
    public static final String PREFIX = "sums-";

    private static final long MAGIC = 0x50454E5353554D53L; // PENSSUMS
    private static final int VERSION = 1;
    private static final int HEAD = 24;

    private final long size;
    private final int[] sums;
    private final AtomicLongArray checked; // a bit a block

    private BlockSums(long size, int[] sums) {
        this.size = size;
        this.sums = sums;
        this.checked = new AtomicLongArray((sums.length + Long.SIZE - 1) / Long.SIZE);
    }

    /** Positional reads; less than asked for only where the file ends. */
    @FunctionalInterface
    public interface Bytes {
        public void read(ByteBuffer into, long offset) throws IOException;
    }

    /** Where the checksums of a copy lie. */
    public static Path beside(Path copy) {
        return copy.resolveSibling(PREFIX + FileNames.of(copy));
    }

    private static int blocks(long size) {
        return Math.toIntExact((size + BLOCK - 1) / BLOCK);
    }

    private static long bytes(long size) {
        return HEAD + (long) Integer.BYTES * (blocks(size) + 1);
    }

    /** Whether a copy of this size has checksums, which may yet be wrong. */
    public static boolean areThere(Path copy, long size) {
        Path sums = beside(copy);
        return Files.isRegularFile(sums) && sums.toFile().length() == bytes(size);
    }

    /** The checksums of a copy that has this size. */
    public static BlockSums of(Path copy, long size) throws IOException {
        if (!areThere(copy, size)) {
            throw new DamagedCopyException("it has no checksums");
        }
        ByteBuffer kept = ByteBuffer.wrap(Files.readAllBytes(beside(copy)));
        int body = (int) bytes(size) - Integer.BYTES;
        if (kept.limit() != body + Integer.BYTES
                || Crc32c.of(kept.slice(0, body)) != kept.getInt(body)
                || kept.getLong() != MAGIC
                || kept.getInt() != VERSION
                || kept.getInt() != BLOCK
                || kept.getLong() != size) {
            throw new DamagedCopyException("its checksums are damaged");
        }
        int[] sums = new int[blocks(size)];
        kept.asIntBuffer().get(sums);
        return new BlockSums(size, sums);
    }

    /** Fills a buffer with the copy's bytes from an offset on, those of each block once they were checked. */
    public void read(Bytes copy, ByteBuffer into, long offset) throws IOException {
        int end = into.limit();
        long at = offset;
        while (into.position() < end && at < size) {
            int block = (int) (at / BLOCK);
            long start = (long) block * BLOCK;
            int count = (int) Math.min(end - into.position(), Math.min(size, start + BLOCK) - at);
            if ((checked.get(block / Long.SIZE) & 1L << block) != 0) {
                into.limit(into.position() + count);
                copy.read(into, at);
                if (into.hasRemaining()) {
                    throw new DamagedCopyException("it ends too early");
                }
                into.limit(end);
            } else {
                into.put(check(copy, block).slice((int) (at - start), count));
            }
            at += count;
        }
    }

    private ByteBuffer check(Bytes copy, int block) throws IOException {
        long start = (long) block * BLOCK;
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(BLOCK, size - start));
        copy.read(bytes, start);
        boolean whole = !bytes.hasRemaining();
        if (!whole || Crc32c.of(bytes.flip()) != sums[block]) {
            throw new DamagedCopyException(
                    "bytes %d to %d do not match their checksum".formatted(start, start + bytes.capacity() - 1));
        }
        checked.accumulateAndGet(block / Long.SIZE, 1L << block, (before, bit) -> before | bit);
        return bytes;
    }

    /** Whether all of a copy matches its checksums. Reads it whole. */
    public static boolean areRight(Path copy) throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(copy)) {
            long size = channel.size();
            BlockSums sums = of(copy, size);
            for (int block = 0; block < sums.sums.length; block++) {
                sums.check(
                        (into, offset) -> {
                            channel.position(offset);
                            while (into.hasRemaining() && channel.read(into) >= 0) {}
                        },
                        block);
            }
            return true;
        } catch (DamagedCopyException | NoSuchFileException e) {
            return false;
        }
    }

    /** Gives a file that is complete, and its checksums, another name in the same folder; the checksums first. */
    public static void move(Path from, Path to) throws IOException {
        AtomicFile.rename(beside(from), beside(to));
        AtomicFile.rename(from, to);
    }

    /** Removes a copy, then its checksums; whether it was there. */
    public static boolean delete(Path copy) throws IOException {
        boolean was = Files.deleteIfExists(copy);
        Files.deleteIfExists(beside(copy));
        return was;
    }

    /** Whether a file holds the checksums of a copy that is not there. */
    public static boolean isLeft(Path file) {
        String name = FileNames.of(file);
        return name.startsWith(PREFIX) && !Files.exists(file.resolveSibling(name.substring(PREFIX.length())));
    }

    /** Computes the checksums of a copy while it is written. For one thread at a time. */
    public static final class Writer {
        private final CRC32C crc = new CRC32C();
        private int[] sums = new int[4];
        private long size;

        public void update(ByteBuffer bytes) {
            ByteBuffer rest = bytes.duplicate();
            int end = rest.limit();
            while (rest.position() < end) {
                int left = BLOCK - (int) (size % BLOCK);
                int count = Math.min(left, end - rest.position());
                crc.update(rest.limit(rest.position() + count));
                rest.limit(end);
                size += count;
                if (count == left) {
                    keep((int) (size / BLOCK) - 1);
                }
            }
        }

        private void keep(int block) {
            if (block == sums.length) {
                sums = Arrays.copyOf(sums, 2 * block);
            }
            sums[block] = (int) crc.getValue();
            crc.reset();
        }

        /** Writes them beside a copy, which has all its bytes now. */
        public void write(Path copy) throws IOException {
            int count = blocks(size);
            if (size % BLOCK != 0) {
                keep(count - 1);
            }
            ByteBuffer kept = ByteBuffer.allocate((int) bytes(size));
            kept.putLong(MAGIC).putInt(VERSION).putInt(BLOCK).putLong(size);
            for (int block = 0; block < count; block++) {
                kept.putInt(sums[block]);
            }
            kept.putInt(Crc32c.of(kept.slice(0, kept.position())));
            Files.write(beside(copy), kept.array());
        }
    }
}
