package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Four bytes, little-endian, that the others add up to.
 *
 * @param atStart whether they come before them
 */
record ChecksumCodec(Sum sum, boolean atStart) implements BytesToBytes {

    private static final int FLETCHER_RUN = 360; // words whose sums cannot overflow 32 bits

    enum Sum {
        CRC32C,
        CRC32,
        ADLER32,
        FLETCHER32;

        int of(byte[] bytes, int from, int length) {
            if (this == FLETCHER32) {
                return fletcher32(bytes, from, length);
            }
            java.util.zip.Checksum checksum = switch (this) {
                case CRC32C -> new CRC32C();
                case CRC32 -> new CRC32();
                default -> new Adler32();
            };
            checksum.update(bytes, from, length);
            return (int) checksum.getValue();
        }
    }

    @Override
    public String name() {
        return sum.name().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public byte[] decode(byte[] encoded, int max) {
        int length = encoded.length - Integer.BYTES;
        if (length < 0 || length > max) {
            throw new FormatException("%s: at most %d bytes and 4 of checksum are expected, came %d"
                    .formatted(name(), max, encoded.length));
        }
        int from = atStart ? Integer.BYTES : 0;
        int stored = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).getInt(atStart ? 0 : length);
        int found = sum.of(encoded, from, length);
        if (stored != found) {
            throw new FormatException(
                    "%s: bytes are damaged: checksum is %08x, they have %08x".formatted(name(), stored, found));
        }
        return Arrays.copyOfRange(encoded, from, from + length);
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

    @Override
    public long encodedBytes(long decoded) {
        return decoded + Integer.BYTES;
    }
}
