package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** Four bytes, little-endian, that the others add up to. */
final class Checksums {

    private static final int FLETCHER_RUN = 360; // words whose sums cannot overflow 32 bits

    private Checksums() {}

    /**
     * The codec of a sum.
     * @param name    {@code crc32}, {@code crc32c}, {@code adler32} or {@code fletcher32}
     * @param atStart whether the sum comes before the others
     */
    static BytesToBytes of(String name, boolean atStart) {
        return BytesToBytes.exact(name, decoded -> decoded + Integer.BYTES, (encoded, max) -> {
            int length = encoded.length - Integer.BYTES;
            if (length < 0) {
                throw new FormatException("at least the 4 bytes of a checksum are expected, came " + encoded.length);
            }
            int from = atStart ? Integer.BYTES : 0;
            int stored = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).getInt(atStart ? 0 : length);
            int found = sum(name, encoded, from, length);
            if (stored != found) {
                throw new FormatException(
                        "bytes are damaged: checksum is %08x, they have %08x".formatted(stored, found));
            }
            return Arrays.copyOfRange(encoded, from, from + length);
        });
    }

    private static int sum(String name, byte[] bytes, int from, int length) {
        if (name.equals("fletcher32")) {
            return fletcher32(bytes, from, length);
        }
        java.util.zip.Checksum checksum = switch (name) {
            case "crc32" -> new CRC32();
            case "crc32c" -> new CRC32C();
            default -> new Adler32();
        };
        checksum.update(bytes, from, length);
        return (int) checksum.getValue();
    }

    /** HDF5's: over big-endian words of 16 bits, the last one filled up with zeros. */
    private static int fletcher32(byte[] bytes, int from, int length) {
        int one = 0;
        int two = 0;
        int end = from + length;
        int at = from;
        while (at < end) {
            int stop = Math.min(end, at + 2 * FLETCHER_RUN);
            for (; at < stop; at += 2) {
                int low = at + 1 < end ? bytes[at + 1] & 0xFF : 0;
                one += (bytes[at] & 0xFF) << 8 | low;
                two += one;
            }
            one = (one & 0xFFFF) + (one >>> 16);
            two = (two & 0xFFFF) + (two >>> 16);
        }
        one = (one & 0xFFFF) + (one >>> 16);
        two = (two & 0xFFFF) + (two >>> 16);
        return two << 16 | one;
    }
}
