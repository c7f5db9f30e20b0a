package io.penstock.cache.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.ToByteBufEncoder;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * A string as the server keeps it, in two pieces where it is sent, so that a header needs no copy of the value after
 * it; what is received is all body, in an array of its own.
 */
record Frame(ByteBuffer head, ByteBuffer body) {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    static Frame of(byte[] bytes) {
        return new Frame(NOTHING, ByteBuffer.wrap(bytes));
    }

    int bytes() {
        return head.remaining() + body.remaining();
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
