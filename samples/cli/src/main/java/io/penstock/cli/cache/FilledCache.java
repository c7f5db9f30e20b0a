package io.penstock.cli.cache;

import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.redis.RedisTier;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * A cache that a job fills, and that outlives it.
 *
 * @param contains  whether it has a key; fails with {@code StoreException} where it cannot be asked
 * @param flush     completes when what was put is where a later run finds it, or is refused
 * @param lookAhead how many keys are best asked for at once
 */
public record FilledCache(
        Tier tier, Function<SampleKey, Mono<Boolean>> contains, Supplier<Mono<Void>> flush, int lookAhead)
        implements AutoCloseable {

    private static final int TOGETHER = 16;

    /**
     * On this machine's disk. It does not read the value, and answers at once: it is asked as late as can be, and sees
     * what others loaded meanwhile.
     */
    public static FilledCache of(ChronicleTier tier) {
        return new FilledCache(tier, key -> Mono.just(tier.contains(key)), tier::flush, 1);
    }

    /** Across a network. The server sends the values, which are checked; those that are asked for at once are in memory. */
    public static FilledCache of(RedisTier tier) {
        return new FilledCache(tier, tier::contains, tier::flush, TOGETHER);
    }

    @Override
    public void close() {
        tier.close();
    }
}
