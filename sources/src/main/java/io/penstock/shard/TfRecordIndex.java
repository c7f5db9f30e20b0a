package io.penstock.shard;

import io.penstock.fault.FormatException;
import io.penstock.internal.Crc32c;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

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
        TarIndex.Builder records = new TarIndex.Builder(file);
        for (long at = 0; at < bytes.size(); ) {
            byte[] head = bytes.at(at, HEAD);
            if (head.length < HEAD) {
                throw broken(file, records, at, "is cut off: %d bytes are left".formatted(head.length));
            }
            ByteBuffer in = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
            long length = in.getLong();
            if (in.getInt() != masked(ByteBuffer.wrap(head, 0, Long.BYTES))) {
                String packed = at == 0 ? TarScan.packed(head) : "";
                throw broken(file, records, at, "has a length with a wrong checksum" + packed);
            }
            long left = bytes.size() - at - HEAD - FOOT;
            if (length < 0 || length > left) {
                String claimed = Long.toUnsignedString(length);
                throw broken(
                        file,
                        records,
                        at,
                        "is cut off: it claims %s bytes, %d are left".formatted(claimed, Math.max(0, left)));
            }
            records.add(at + HEAD, length, "");
            at += HEAD + length + FOOT;
        }
        return records.build();
    }

    /** The checksum of the remaining bytes as these files have it: rotated, plus a constant. */
    static int masked(ByteBuffer bytes) {
        return Integer.rotateRight(Crc32c.of(bytes), 15) + 0xA282EAD8;
    }

    private static FormatException broken(String file, TarIndex.Builder before, long at, String what) {
        return new FormatException("%s: record %d at byte %d %s".formatted(file, before.size(), at, what));
    }
}
