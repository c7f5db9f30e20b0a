package io.penstock.cache.ram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cache.lazy.NumberedDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.TierKit;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** The tier where it belongs: in a pipeline. */
class RamTierPipelineTest {

    private static final int SAMPLES = 1_000;
    private static final int LENGTH = 16_384;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static NumberedDataset numbered() {
        return new NumberedDataset(SAMPLES, index -> LENGTH);
    }

    /** Hit ratio = capacity / data set, in any order: the ceiling that no policy passes. */
    @ParameterizedTest
    @ValueSource(ints = {20, 70})
    void cache_ofAShareOfTheData_hitsThatShare(int percent) {
        for (Sampler sampler : new Sampler[] {Sampler.shuffled(7), Sampler.sequential()}) {
            NumberedDataset source = numbered();
            try (RamTier tier = RamTier.ofBytes((long) SAMPLES * LENGTH * percent / 100)) {
                Dataset<Tensor> cached = source.cache(tier, Schema.tensor("value"));

                StepVerifier.create(cached.stream(sampler.epochs(3)), 0)
                        .thenRequest(Long.MAX_VALUE)
                        .thenConsumeWhile(
                                sample -> true,
                                sample -> assertThat(sample.value().toByteArray())
                                        .isEqualTo(TierKit.valueOf(sample.draw().index(), LENGTH)))
                        .expectComplete()
                        .verify(TIMEOUT);

                for (int epoch = 1; epoch < 3; epoch++) {
                    long hits = cached.statistics(epoch).hits().get("ram");
                    assertThat(100.0 * hits / SAMPLES).isCloseTo(percent, within(1.0));
                }
                long misses = 3 * SAMPLES - 2 * tier.statistics().samples();
                assertThat(source.loads.get()) // two epochs may share a load where they meet
                        .isBetween(misses - SAMPLES / 100, misses);
            }
        }
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(ints = {10, 30, 40, 50, 60, 80, 90})
    void cache_ofAnyShareOfTheData_hitsThatShare(int percent) {
        cache_ofAShareOfTheData_hitsThatShare(percent);
    }

    @Test
    void cache_ofEverything_loadsOnce() {
        NumberedDataset source = numbered();
        try (RamTier tier = RamTier.ofBytes(2L * SAMPLES * LENGTH)) {
            Dataset<Tensor> cached = source.cache(tier, Schema.tensor("value"));

            StepVerifier.create(cached.stream(Sampler.shuffled(1).epochs(2)))
                    .expectNextCount(2 * SAMPLES)
                    .expectComplete()
                    .verify(TIMEOUT);

            assertThat(source.loads).hasValue(SAMPLES);
            assertThat(cached.statistics(1).hits()).isEqualTo(Map.of("ram", (long) SAMPLES));
        }
    }

    @Test
    void cache_smallerThanASample_saysSo() {
        try (RamTier tier = RamTier.ofBytes(LENGTH)) {
            StepVerifier.create(numbered().cache(tier, Schema.tensor("value")).stream(Sampler.shuffled(1)))
                    .expectErrorSatisfies(e -> assertThat(e)
                            .hasStackTraceContaining("cache tier \"ram\" of "
                                    + tier.statistics().capacity()
                                    + " bytes cannot hold one sample of 16391 bytes; give it at least"
                                    + " that or leave it out"))
                    .verify(TIMEOUT);
        }
    }
}
