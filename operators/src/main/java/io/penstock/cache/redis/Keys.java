package io.penstock.cache.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Keys as arguments, written in one piece. Lettuce's own way, an object and several small writes an argument, took an eighth of
 * the connection's thread at values of 1 KiB.
 * @see <a href="https://redis.io/docs/latest/develop/reference/protocol-spec/#bulk-strings">RESP, bulk strings</a>
 */
final class Keys extends CommandArgs<byte[], Frame> {

    private static final int MOST_AROUND = 16; // a sign, ten digits, two ends of lines

    private final List<byte[]> keys;

    Keys(RedisCodec<byte[], Frame> codec, List<byte[]> keys) {
        super(codec);
        this.keys = keys;
    }

    @Override
    public int count() {
        return keys.size();
    }

    @Override
    public void encode(ByteBuf target) {
        int bytes = 0;
        for (byte[] key : keys) {
            bytes += MOST_AROUND + key.length;
        }
        byte[] text = new byte[bytes];
        int end = 0;
        int lengthSaid = -1;
        byte[] beginning = {};
        for (byte[] key : keys) {
            if (key.length != lengthSaid) { // once: those of a name space are of one length
                lengthSaid = key.length;
                beginning = ("$" + key.length + "\r\n").getBytes(StandardCharsets.US_ASCII);
            }
            System.arraycopy(beginning, 0, text, end, beginning.length);
            end += beginning.length;
            System.arraycopy(key, 0, text, end, key.length);
            end += key.length;
            text[end++] = '\r';
            text[end++] = '\n';
        }
        target.writeBytes(text, 0, end);
    }

    /** What logs show of it. */
    @Override
    public String toCommandString() {
        return keys.size() + " keys";
    }
}
