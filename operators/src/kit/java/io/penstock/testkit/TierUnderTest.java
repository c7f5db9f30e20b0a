package io.penstock.testkit;

import io.penstock.cache.Entry;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A tier that the kit opens, and what its tests put into it and get from it.
 *
 * <p>A tier that finishes puts later waits for them in {@link #settle}.
 */
abstract class TierUnderTest {

    /** More than any test here puts where nothing is to be refused. */
    public static final long AMPLE = 64L << 20;

    public static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** An empty tier that holds at most about the given number of bytes. */
    protected abstract Tier open(long bytes);

    /** What only some tiers do, beside what their interfaces say. */
    public enum Trait {
        ANSWERS_GROUPS,
        /** A spare copy gives way to a value that no other tier holds. */
        SPARES_GIVE_WAY
    }

    protected abstract Set<Trait> traits();

    /** How much of this work the races do; a tier that travels over a network does less. */
    protected int effort(int work) {
        return work;
    }

    /** Returns once everything put is either held or refused. */
    protected void settle(Tier tier) {}

    /** A value that tells its key: any byte of another one, or of none, is found. */
    public static byte[] valueOf(long key, int length) {
        byte[] value = new byte[length];
        ByteBuffer buffer = ByteBuffer.wrap(value);
        SplittableRandom random = new SplittableRandom(key);
        while (buffer.remaining() >= Long.BYTES) {
            buffer.putLong(random.nextLong());
        }
        while (buffer.hasRemaining()) {
            buffer.put((byte) random.nextInt());
        }
        return value;
    }

    public static SampleKey key(long number) {
        return SampleKey.of("kit").with(number);
    }

    public static byte @Nullable [] get(Tier tier, SampleKey key) {
        ByteBuffer view = tier.get(key).block(TIMEOUT);
        return view == null ? null : bytes(view);
    }

    public static byte[] bytes(ByteBuffer view) {
        byte[] bytes = new byte[view.remaining()];
        view.get(view.position(), bytes);
        return bytes;
    }

    /** Offers the remaining bytes of a buffer: whether they are held. */
    public static Mono<Boolean> put(Tier tier, SampleKey key, ByteBuffer value) {
        return tier.put(key, Encoded.of(value), Entry.UNKNOWN).map(Put::held);
    }

    protected void put(Tier tier, SampleKey key, byte[] value) {
        put(tier, key, ByteBuffer.wrap(value)).block(TIMEOUT);
        settle(tier);
    }


    public interface Work {
        void run(int thread) throws Exception;
    }

    public static void inParallel(int threads, Work work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch ready = new CountDownLatch(threads);
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                all.add(pool.submit(() -> {
                    ready.countDown();
                    ready.await();
                    work.run(number);
                    return number;
                }));
            }
            for (Future<?> one : all) {
                one.get(5, TimeUnit.MINUTES);
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
