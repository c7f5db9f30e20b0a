package io.penstock.shard;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.zip.CRC32C;

/**
 * Finds the records of a TFRecord file: for each its length (u64) and the checksum of that (u32), its bytes, and their
 * checksum (u32), little-endian. The index of a tar archive serves, with empty names.
 */
final class TfRecordIndex {

    /** After the bytes of a record. */
    static final int FOOT = Integer.BYTES;

    private static final int HEAD = Long.BYTES + Integer.BYTES;

    private TfRecordIndex() {}

    /**
     * Scans a file from head to head.
     * @throws FormatException if it is cut off or damaged
     */
    static TarIndex scan(TarBytes bytes, String file) {
        long[] offsets = new long[64];
        long[] lengths = new long[64];
        int count = 0;
        for (long at = 0; at < bytes.size(); at += HEAD + lengths[count - 1] + FOOT) {
            byte[] head = bytes.at(at, HEAD);
            if (head.length < HEAD) {
                throw broken(file, count, at, "is cut off: %d bytes are left".formatted(head.length));
            }
            ByteBuffer in = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
            long length = in.getLong();
            if (in.getInt() != masked(ByteBuffer.wrap(head, 0, Long.BYTES))) {
                throw broken(
                        file, count, at, "has a length with a wrong checksum" + (at == 0 ? TarScan.packed(head) : ""));
            }
            long left = bytes.size() - at - HEAD - FOOT;
            if (length < 0 || length > left) {
                throw broken(
                        file,
                        count,
                        at,
                        "is cut off: it claims %s bytes, %d are left"
                                .formatted(Long.toUnsignedString(length), Math.max(0, left)));
            }
            if (count == offsets.length) {
                int larger = (int) Math.min(Integer.MAX_VALUE - 8, 2L * count);
                if (larger == count) {
                    throw broken(file, count, at, "is one too many for a file; split it");
                }
                offsets = Arrays.copyOf(offsets, larger);
                lengths = Arrays.copyOf(lengths, larger);
            }
            offsets[count] = at + HEAD;
            lengths[count++] = length;
        }
        return new TarIndex(
                Arrays.copyOf(offsets, count),
                Arrays.copyOf(lengths, count),
                new BitSet(),
                new int[count],
                new byte[0]);
    }

    /** The checksum of the remaining bytes as these files have it: rotated, plus a constant. */
    static int masked(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return Integer.rotateRight((int) crc.getValue(), 15) + 0xA282EAD8;
    }

    private static FormatException broken(String file, int record, long at, String what) {
        return new FormatException("%s: record %d at byte %d %s".formatted(file, record, at, what));
    }
}
