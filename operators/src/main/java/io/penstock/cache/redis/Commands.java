package io.penstock.cache.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** The commands for the server. Each script touches one key, so that a cluster runs it too. */
final class Commands {

    private static final String ONLY_OWN = "if redis.call('get',KEYS[1])==ARGV[1] then return ";
    private static final String RELEASE = ONLY_OWN + "redis.call('del',KEYS[1]) end return 0";
    private static final String EXTEND = ONLY_OWN + "redis.call('pexpire',KEYS[1],ARGV[2]) end return 0";
    private static final String REMOVE =
            "local n=redis.call('strlen',KEYS[1]) if redis.call('del',KEYS[1])==1 then return n end return -1";
    private static final String REMOVE_DAMAGED =
            "local v=redis.call('get',KEYS[1]) if v and redis.sha1hex(v)==ARGV[1] then "
                    + "redis.call('del',KEYS[1]) return #v end return -1";
    private static final String REMOVE_OTHER_TYPE =
            "if redis.call('type',KEYS[1])['ok']~='string' then return redis.call('del',KEYS[1]) end return 0";
    private static final String REMOVE_ENDLESS =
            "if redis.call('pttl',KEYS[1])==-1 then return redis.call('del',KEYS[1]) end return 0";

    private final RedisCodec<byte[], Frame> codec = new Frame.Codec();

    RedisCodec<byte[], Frame> codec() {
        return codec;
    }

    AsyncCommand<byte[], Frame, Frame> get(byte[] key) {
        return of(CommandType.GET, new ValueOutput<>(codec), args().addKey(key));
    }

    /** For one server, not a cluster, which would have to find each key's node. */
    AsyncCommand<byte[], Frame, List<Frame>> getAll(List<byte[]> keys) {
        return of(CommandType.MGET, new ValueListOutput<>(codec), new Keys(codec, keys));
    }

    /** Answers OK, or nothing where the key has a value, which it keeps. */
    AsyncCommand<byte[], Frame, String> setIfAbsent(byte[] key, Frame value) {
        return of(
                CommandType.SET,
                new StatusOutput<>(codec),
                args().addKey(key).addValue(value).add("NX"));
    }

    /** As {@link #setIfAbsent}, for a while. */
    AsyncCommand<byte[], Frame, String> take(byte[] lease, byte[] token, Duration time) {
        return of(
                CommandType.SET,
                new StatusOutput<>(codec),
                args().addKey(lease).add(token).add("NX").add("PX").add(time.toMillis()));
    }

    AsyncCommand<byte[], Frame, Long> release(byte[] lease, byte[] token) {
        return script(RELEASE, lease, args -> args.add(token));
    }

    AsyncCommand<byte[], Frame, Long> extend(byte[] lease, byte[] token, Duration time) {
        return script(EXTEND, lease, args -> args.add(token).add(time.toMillis()));
    }

    AsyncCommand<byte[], Frame, Long> exists(byte[] key) {
        return of(CommandType.EXISTS, new IntegerOutput<>(codec), args().addKey(key));
    }

    /** Answers how many bytes it had, or -1 where there was nothing. */
    AsyncCommand<byte[], Frame, Long> remove(byte[] key) {
        return script(REMOVE, key, args -> args);
    }

    /** The same, where the value is still the one with this SHA-1: what was put instead meanwhile stays. */
    AsyncCommand<byte[], Frame, Long> removeDamaged(byte[] key, String sha1) {
        return script(REMOVE_DAMAGED, key, args -> args.add(sha1));
    }

    /** Removes what is no string, which no look-up finds and no put replaces. Answers how many keys it removed. */
    AsyncCommand<byte[], Frame, Long> removeOtherType(byte[] key) {
        return script(REMOVE_OTHER_TYPE, key, args -> args);
    }

    /** Removes a lease that never ends: it was not taken by {@link #take}, and nothing would release it. */
    AsyncCommand<byte[], Frame, Long> removeEndless(byte[] lease) {
        return script(REMOVE_ENDLESS, lease, args -> args);
    }

    AsyncCommand<byte[], Frame, Long> add(byte[] counts, String field, long number) {
        return of(
                CommandType.HINCRBY,
                new IntegerOutput<>(codec),
                args().addKey(counts).add(field).add(number));
    }

    AsyncCommand<byte[], Frame, List<Frame>> counts(byte[] counts, String... fields) {
        CommandArgs<byte[], Frame> args = args().addKey(counts);
        for (String field : fields) {
            args.add(field);
        }
        return of(CommandType.HMGET, new ValueListOutput<>(codec), args);
    }

    private AsyncCommand<byte[], Frame, Long> script(
            String text, byte[] key, java.util.function.UnaryOperator<CommandArgs<byte[], Frame>> arguments) {
        return of(
                CommandType.EVAL,
                new IntegerOutput<>(codec),
                arguments.apply(args().add(text).add(1).addKey(key)));
    }

    private CommandArgs<byte[], Frame> args() {
        return new CommandArgs<>(codec);
    }

    private static <T> AsyncCommand<byte[], Frame, T> of(
            CommandType type, CommandOutput<byte[], Frame, T> output, CommandArgs<byte[], Frame> args) {
        return new AsyncCommand<>(new Command<>(type, output, args));
    }

    /**
     * Keys as arguments, written in one piece. Lettuce makes an object and several small writes for each argument. That
     * took an eighth of the connection's thread at values of 1 KiB.
     * @see <a href="https://redis.io/docs/latest/develop/reference/protocol-spec/#bulk-strings">RESP, bulk strings</a>
     */
    private static final class Keys extends CommandArgs<byte[], Frame> {

        private static final int MAX_AROUND = 16; // a sign, ten digits, two ends of lines

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
                bytes += MAX_AROUND + key.length;
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
}
