package io.penstock.cache.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.ToByteBufEncoder;
import io.netty.buffer.ByteBuf;
import io.penstock.cache.SampleKey;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A string as the server keeps it, in two pieces where it is sent, so that a header needs no copy of the value after
 * it; what is received is all body, in an array of its own.
 *
 * <p>The header of a value has 32 bytes. Any client may write to a server, so a value is trusted only if its key, its
 * length and its checksum agree with the header.
 * <pre>
 *  0 magic   4 checksum of key and value   8 key   24 length   28 zero   32 the value
 * </pre>
 */
record Frame(ByteBuffer head, ByteBuffer body) {

    static final int HEADER = 32;

    private static final int MAGIC = 0x50_53_52_01; // "PSR", version 1
    private static final int CHECK_AT = 4;
    private static final int HIGH_AT = 8;
    private static final int LOW_AT = 16;
    private static final int LENGTH_AT = 24;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    static Frame of(byte[] bytes) {
        return new Frame(NOTHING, ByteBuffer.wrap(bytes));
    }

    int bytes() {
        return head.remaining() + body.remaining();
    }

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

    /** Writes frames straight into the buffer that is sent, and copies what came once. Keys are bytes. */
    static final class Codec implements RedisCodec<byte[], Frame>, ToByteBufEncoder<byte[], Frame> {

        @Override
        public byte[] decodeKey(ByteBuffer bytes) {
            byte[] key = new byte[bytes.remaining()];
            bytes.get(key);
            return key;
        }

        @Override
        public Frame decodeValue(ByteBuffer bytes) {
            return of(decodeKey(bytes));
        }

        @Override
        public ByteBuffer encodeKey(byte[] key) {
            return ByteBuffer.wrap(key);
        }

        @Override
        public ByteBuffer encodeValue(Frame frame) {
            return ByteBuffer.allocate(frame.bytes())
                    .put(frame.head.duplicate())
                    .put(frame.body.duplicate())
                    .flip();
        }

        @Override
        public void encodeKey(byte[] key, ByteBuf target) {
            target.writeBytes(key);
        }

        @Override
        public void encodeValue(Frame frame, ByteBuf target) {
            target.writeBytes(frame.head.duplicate());
            target.writeBytes(frame.body.duplicate());
        }

        @Override
        public int estimateSize(Object keyOrValue) {
            return keyOrValue instanceof Frame frame ? frame.bytes() : ((byte[]) keyOrValue).length;
        }

        @Override
        public boolean isEstimateExact() {
            return true;
        }
    }
}
