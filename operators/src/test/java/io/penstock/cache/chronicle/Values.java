package io.penstock.cache.chronicle;

import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Values that tell their key: any byte of another one, or of none, is found. */
final class Values {

    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private Values() {}

    static SampleKey key(long number) {
        return SampleKey.of("chronicle").with(number);
    }

    static int length(long number) {
        return new SplittableRandom(number).nextInt(1 << new SplittableRandom(~number).nextInt(1, 17));
    }

    static byte[] value(long number) {
        byte[] value = new byte[length(number)];
        SplittableRandom random = new SplittableRandom(number + 1);
        ByteBuffer buffer = ByteBuffer.wrap(value);
        while (buffer.remaining() >= Long.BYTES) {
            buffer.putLong(random.nextLong());
        }
        while (buffer.hasRemaining()) {
            buffer.put((byte) random.nextInt());
        }
        return value;
    }

    static boolean put(Tier tier, long number) {
        return Boolean.TRUE.equals(
                TierKit.put(tier, key(number), ByteBuffer.wrap(value(number))).block(TIMEOUT));
    }

    static byte @Nullable [] get(Tier tier, long number) {
        ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
        if (view == null) {
            return null;
        }
        byte[] bytes = new byte[view.remaining()];
        view.get(view.position(), bytes);
        return bytes;
    }
}
