package io.penstock.cache.redis;

import io.penstock.cache.SampleKey;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A value as it lies in the server: a header of 32 bytes with its key, length and checksum, then the value. Any client
 * may write to a server, so a value is trusted only if all three agree.
 * <pre>
 *  0 magic   4 checksum of key and value   8 key   24 length   28 zero   32 the value
 * </pre>
 */
final class Envelope {

    static final int HEADER = 32;

    private static final int MAGIC = 0x50_53_52_01; // "PSR", version 1
    private static final int CHECK_AT = 4;
    private static final int HIGH_AT = 8;
    private static final int LOW_AT = 16;
    private static final int LENGTH_AT = 24;

    private Envelope() {}

    static Frame seal(SampleKey key, ByteBuffer value) {
        ByteBuffer head = ByteBuffer.allocate(HEADER)
                .putInt(0, MAGIC)
                .putInt(CHECK_AT, check(key, value))
                .putLong(HIGH_AT, key.high())
                .putLong(LOW_AT, key.low())
                .putInt(LENGTH_AT, value.remaining());
        return new Frame(head, value);
    }

    /** The value in what came for a key; null if it is another one's, cut short or changed. */
    static @Nullable ByteBuffer open(SampleKey key, ByteBuffer sealed) {
        int length = sealed.remaining() - HEADER;
        if (length < 0
                || sealed.getInt(0) != MAGIC
                || sealed.getLong(HIGH_AT) != key.high()
                || sealed.getLong(LOW_AT) != key.low()
                || sealed.getInt(LENGTH_AT) != length) {
            return null;
        }
        CRC32C sum = new CRC32C(); // the key was compared, and lies as it is summed
        sum.update(sealed.array(), sealed.arrayOffset() + HIGH_AT, LENGTH_AT - HIGH_AT);
        sum.update(sealed.array(), sealed.arrayOffset() + HEADER, length);
        return sealed.getInt(CHECK_AT) == (int) sum.getValue()
                ? sealed.slice(HEADER, length).asReadOnlyBuffer()
                : null;
    }

    private static int check(SampleKey key, ByteBuffer value) {
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(key.high())
                .putLong(key.low())
                .flip());
        sum.update(value.duplicate());
        return (int) sum.getValue();
    }
}
