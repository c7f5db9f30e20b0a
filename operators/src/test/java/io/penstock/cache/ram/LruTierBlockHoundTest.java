package io.penstock.cache.ram;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.RemovableTier;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** No worker is parked by others that put, read or remove: the lock is held for a moment. */
@Tag("blockhound")
class LruTierBlockHoundTest {

    private static final int KEYS = 400;

    @BeforeAll
    static void install() {
        BlockHound.install();
    }

    @Test
    void tier_usedByManyWorkersAtOnce_blocksNone() {
        int threads = 4;
        Scheduler workers = Schedulers.newParallel("lru", threads);
        try (RemovableTier tier = RamTier.of(CachePolicy.LRU)
                .maxBytes(KEYS / 2 * (4 * 264 + 160L))
                .open()) {
            Mono<Long> all = Flux.range(0, threads)
                    .flatMap(thread -> Mono.fromCallable(() -> use(tier, new SplittableRandom(thread)))
                            .subscribeOn(workers))
                    .reduce(Long::sum);

            assertThat(all.block(TierKit.TIMEOUT)).isPositive();
            assertThat(tier.statistics().samples()).isBetween(1L, KEYS / 2L);
        } finally {
            workers.dispose();
        }
    }

    private static long use(RemovableTier tier, SplittableRandom random) {
        long found = 0;
        for (int i = 0; i < 50_000; i++) {
            int number = random.nextInt(KEYS);
            ByteBuffer value = tier.get(TierKit.key(number)).toFuture().join();
            if (value != null) {
                assertThat(value).isEqualTo(ByteBuffer.wrap(TierKit.valueOf(number, 1_000)));
                found++;
                if (random.nextInt(50) == 0) {
                    tier.remove(TierKit.key(number));
                }
            } else {
                TierKit.put(tier, TierKit.key(number), ByteBuffer.wrap(TierKit.valueOf(number, 1_000)))
                        .subscribe();
            }
            tier.statistics();
        }
        return found;
    }
}
