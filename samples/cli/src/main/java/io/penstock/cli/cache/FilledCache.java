package io.penstock.cli.cache;

import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.redis.RedisTier;
import reactor.core.publisher.Mono;

/** A cache that a job fills, and that outlives it. */
public sealed interface FilledCache extends AutoCloseable {

    Tier tier();

    /**
     * Whether it has a key. A cache on disk does not read the value; a Redis server sends it, and it is checked.
     * <p>Fails with {@code StoreException} where it cannot be asked.
     */
    Mono<Boolean> contains(SampleKey key);

    /** Completes when what was put is where a later run finds it, or is refused. */
    Mono<Void> flush();

    /** How many keys are best asked for at once. */
    int lookAhead();

    @Override
    default void close() {
        tier().close();
    }

    /**
     * On this machine's disk. Answers at once, so it is asked as late as can be, and sees what others loaded meanwhile.
     */
    record Disk(ChronicleTier tier) implements FilledCache {

        @Override
        public Mono<Boolean> contains(SampleKey key) {
            return Mono.just(tier.contains(key));
        }

        @Override
        public Mono<Void> flush() {
            return tier.flush();
        }

        @Override
        public int lookAhead() {
            return 1;
        }
    }

    /** Across a network. The values that are checked at once are in memory. */
    record Redis(RedisTier tier) implements FilledCache {

        private static final int TOGETHER = 16;

        @Override
        public Mono<Boolean> contains(SampleKey key) {
            return tier.contains(key);
        }

        @Override
        public Mono<Void> flush() {
            return tier.flush();
        }

        @Override
        public int lookAhead() {
            return TOGETHER;
        }
    }
}
