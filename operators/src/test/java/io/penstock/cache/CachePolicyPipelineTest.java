package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cache.lazy.NumberedDataset;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.TierKit;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.test.StepVerifier;

/** The policies where they belong: in a pipeline, and under a cache by key. */
class CachePolicyPipelineTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int SAMPLES = 2_000;
    private static final int LENGTH = 8_192;

    private static void run(Dataset<Tensor> cached, Sampler sampler) {
        StepVerifier.create(cached.stream(sampler), 0)
                .thenRequest(Long.MAX_VALUE)
                .thenConsumeWhile(
                        sample -> true,
                        sample -> assertThat(sample.value().toByteArray())
                                .isEqualTo(TierKit.valueOf(sample.draw().index(), LENGTH)))
                .expectComplete()
                .verify(TIMEOUT);
    }

    @ParameterizedTest
    @EnumSource(CachePolicy.class)
    void cache_ofHalfTheData_changesNoValueAndHitsAsItsPolicySays(CachePolicy policy) {
        NumberedDataset source = new NumberedDataset(SAMPLES, index -> LENGTH);
        try (Tier ram =
                RamTier.of(policy).maxBytes(SAMPLES / 2 * (LENGTH + 700L)).open()) {
            Dataset<Tensor> cached = source.cache(ram, Schema.tensor("value"));

            run(cached, Sampler.shuffled(5).epochs(5));

            double hits = 100.0 * cached.statistics(4).hits().get("ram") / SAMPLES;
            double c = (double) ram.statistics().samples() / SAMPLES;
            assertThat(c).isBetween(0.48, 0.56);
            double expected = policy == CachePolicy.LRU ? c + (1 - c) * Math.log(1 - c) : c;
            assertThat(hits).isCloseTo(100 * expected, within(3.0));
        }
    }

    /** Over LRU levels of RAM and disk everything that fits into the two of them is kept, in whichever it was used. */
    @Test
    void cache_ofRamOverDiskInLruOrder_loadsEverySampleOnce() {
        NumberedDataset source = new NumberedDataset(SAMPLES, index -> LENGTH);
        MapTier disk = MapTier.leastRecentlyUsed(SAMPLES);
        try (Tier ram = RamTier.of(CachePolicy.LRU)
                .maxBytes(SAMPLES / 2 * (LENGTH + 700L))
                .open()) {
            Dataset<Tensor> cached = source.cache(Cache.of(ram, disk), Schema.tensor("value"));

            run(cached, Sampler.shuffled(5).epochs(4));

            assertThat(source.loads).hasValue(SAMPLES);
            assertThat(cached.statistics(3).hits().get("ram")).isPositive();
            assertThat(cached.statistics(3).hits().get("disk")).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(CachePolicy.class)
    void keyedCache_overRam_countsAndClearsItsOwn(CachePolicy policy) {
        try (Tier ram = RamTier.of(policy).maxBytes(4 << 20).open()) {
            KeyedCache<Tensor> one = KeyedCache.of(Cache.of(ram), Schema.tensor("value"), "one");
            KeyedCache<Tensor> two = KeyedCache.of(Cache.of(ram), Schema.tensor("value"), "two");
            for (int i = 0; i < 50; i++) {
                int number = i;
                one.get(i, () -> Tensor.ofBytes(TierKit.valueOf(number, 500))).block(TIMEOUT);
                two.get("k" + i, () -> Tensor.ofBytes(TierKit.valueOf(-number, 500)))
                        .block(TIMEOUT);
            }
            assertThat(one.size().block(TIMEOUT)).isEqualTo(50);

            one.clear().block(TIMEOUT);

            assertThat(one.size().block(TIMEOUT)).isZero();
            assertThat(two.size().block(TIMEOUT)).isEqualTo(50);
            assertThat(ram.statistics().samples()).isEqualTo(50);
            StepVerifier.create(two.get("k7", () -> Tensor.ofBytes(new byte[1])), 0)
                    .expectSubscription()
                    .thenRequest(1)
                    .assertNext(value -> assertThat(value.toByteArray()).isEqualTo(TierKit.valueOf(-7, 500)))
                    .expectComplete()
                    .verify(TIMEOUT);
        }
    }
}
