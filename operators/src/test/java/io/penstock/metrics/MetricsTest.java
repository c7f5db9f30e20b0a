package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.cache.Cache;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.LaterTier;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierAround;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.Samples;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class MetricsTest {

    private static final Schema<Tensor> SCHEMA = Schema.tensor("value");
    private static final int SAMPLES = 640;

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private static final class Numbered implements Dataset<Tensor> {
        @Override
        public long size() {
            return SAMPLES;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("numbered");
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.fromCallable(() -> Tensor.ofLongs(new long[1_000]));
        }
    }

    private static void run(Pipeline<?> pipeline, int epochs) {
        pipeline.stream(Sampler.shuffled(1).epochs(epochs)).blockLast();
    }

    private long counter(String name, String... tags) {
        return (long) registry.get(name).tags(tags).functionCounter().count();
    }

    private long gauge(String name, String tier) {
        return (long) registry.get(name).tag("tier", tier).gauge().value();
    }

    @Test
    void tierMetrics_ofAChain_areEachLevelsOwn() {
        try (Tier small = RamTier.ofBytes(1 << 20);
                Cache cache = Cache.of(small, RamTier.ofBytes(64 << 20))) {
            new TierMetrics(cache, Tags.of("job", "train")).bindTo(registry);
            run(new Numbered().cache(cache, SCHEMA), 3);

            int level = 0;
            for (String name : new String[] {"ram", "ram 2"}) {
                TierStatistics statistics = cache.tiers().get(level++).statistics();
                assertThat(counter("penstock.tier.hits", "tier", name, "job", "train"))
                        .isEqualTo(statistics.hits());
                assertThat(counter("penstock.tier.misses", "tier", name)).isEqualTo(statistics.misses());
                assertThat(counter("penstock.tier.refused", "tier", name)).isEqualTo(statistics.refused());
                assertThat(counter("penstock.tier.evictions", "tier", name)).isEqualTo(statistics.evicted());
                assertThat(counter("penstock.tier.errors", "tier", name)).isEqualTo(statistics.errors());
                assertThat(gauge("penstock.tier.samples", name)).isEqualTo(statistics.samples());
                assertThat(gauge("penstock.tier.bytes", name)).isEqualTo(statistics.bytes());
                assertThat(gauge("penstock.tier.capacity", name)).isEqualTo(statistics.capacity());
            }
            assertThat(counter("penstock.tier.hits", "tier", "ram 2")).isPositive();
            // a sample that might have been loaded meanwhile is looked up twice
            assertThat(counter("penstock.tier.misses", "tier", "ram 2")).isBetween((long) SAMPLES, 2L * SAMPLES);
        }
    }

    @Test
    void pipelineMetrics_ofAFlux_countItsStagesAsLongAsItRuns() throws Exception {
        Sinks.Many<Long> source = Sinks.many().unicast().onBackpressureBuffer();
        try (Cache cache = Cache.of(RamTier.ofBytes(2 << 20))) {
            CountDownLatch loaded = new CountDownLatch(4);
            CountDownLatch left = new CountDownLatch(20);
            Disposable running = bindAndStart(source.asFlux(), cache, () -> {
                loaded.countDown();
                left.countDown();
            });
            for (long n = 0; n < 4; n++) {
                source.emitNext(n, Sinks.EmitFailureHandler.FAIL_FAST);
            }
            assertThat(loaded.await(300, TimeUnit.SECONDS)).isTrue(); // who waits for a load counts as a miss
            System.gc(); // the registry keeps what it counts weakly
            for (long n = 0; n < 16; n++) {
                source.emitNext(n % 4, Sinks.EmitFailureHandler.FAIL_FAST);
            }

            assertThat(left.await(300, TimeUnit.SECONDS)).isTrue();
            assertThat(counter("penstock.samples.loaded", "job", "flow")).isEqualTo(4);
            assertThat(counter("penstock.cache.misses")).isEqualTo(4);
            assertThat(counter("penstock.cache.hits", "tier", "ram")).isEqualTo(16);
            assertThat(registry.get("penstock.stage.time")
                            .tags("stage", "same", "kind", "stage")
                            .functionTimer()
                            .count())
                    .isEqualTo(20);
            running.dispose();
        }
    }

    private Disposable bindAndStart(Flux<Long> source, Cache cache, Runnable delivered) {
        Flux<Sample<Tensor>> samples = source.transform(Samples.numbered(1))
                .transform(Samples.cached(
                        cache,
                        n -> SampleKey.of("flow", n.toString()),
                        SCHEMA,
                        n -> Mono.fromCallable(() -> Tensor.ofLongs(new long[] {n}))))
                .transform(Samples.map("same", value -> value));
        new PipelineMetrics(samples, Tags.of("job", "flow")).bindTo(registry);
        return samples.subscribe(sample -> delivered.run());
    }

    @Test
    void pipelineMetrics_ofAnotherFlux_areRefused() {
        assertThatThrownBy(() -> new PipelineMetrics(Flux.just(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only what an operator of Samples returned has statistics");
    }

    @Test
    void pipelineMetrics_ofSeveralSources_countEach() {
        try (Cache cache = Cache.of(RamTier.ofBytes(64 << 20))) {
            Pipeline<Tensor> pipeline = Dataset.concat(new Numbered().slice(0, 500), new Numbered().slice(500, SAMPLES))
                    .cache(cache, SCHEMA);
            new PipelineMetrics(pipeline, Tags.of("job", "both")).bindTo(registry);

            run(pipeline, 1);
            run(pipeline, 1);

            assertThat(counter("penstock.source.loaded", "source", "0")).isEqualTo(500);
            assertThat(counter("penstock.source.misses", "source", "0")).isEqualTo(500);
            assertThat(counter("penstock.source.hits", "source", "0", "tier", "ram", "job", "both"))
                    .isEqualTo(500);
            assertThat(counter("penstock.source.loaded", "source", "1")).isEqualTo(140);
            assertThat(counter("penstock.source.hits", "source", "1", "tier", "ram"))
                    .isEqualTo(140);
        }
    }

    @Test
    void pipelineMetrics_overManyEpochs_countAll() {
        try (Tier cache = RamTier.ofBytes(2 << 20)) {
            Pipeline<Tensor> pipeline = new Numbered()
                    .map("same", value -> value)
                    .cache(cache, SCHEMA)
                    .augment("dice", (value, random) -> value);
            new PipelineMetrics(pipeline).bindTo(registry);
            // an epoch at a time: what two of them wait for at once is one load and two misses
            for (int epoch = 0; epoch < 20; epoch++) {
                run(pipeline, 1);
            }

            long hits = counter("penstock.cache.hits", "tier", "ram");
            long misses = counter("penstock.cache.misses");
            assertThat(hits).isPositive();
            assertThat(hits + misses).isEqualTo(20 * SAMPLES);
            assertThat(counter("penstock.samples.loaded")).isEqualTo(misses);
            assertThat(counter("penstock.samples.skipped")).isZero();
            assertThat(registry.get("penstock.stage.time")
                            .tags("stage", "load", "kind", "source")
                            .functionTimer()
                            .count())
                    .isEqualTo((double) misses);
            assertThat(registry.get("penstock.stage.time")
                            .tags("stage", "same", "kind", "stage")
                            .functionTimer()
                            .count())
                    .isEqualTo((double) misses);
            assertThat(registry.get("penstock.stage.time")
                            .tag("stage", "dice")
                            .functionTimer()
                            .count())
                    .isEqualTo(20 * SAMPLES);
            assertThat(registry.get("penstock.stage.time")
                            .tag("stage", "load")
                            .functionTimer()
                            .totalTime(TimeUnit.NANOSECONDS))
                    .isPositive();
        }
    }

    @Test
    void timed_tier_timesOneLookUpIn64() {
        try (Cache cache = TierMetrics.timed(
                Cache.of(RamTier.ofBytes(64 << 20), new LaterTier(RamTier.ofBytes(64 << 20))), registry)) {
            Dataset<Tensor> cached = new Numbered().cache(cache, SCHEMA);
            int timed = 0;
            for (int i = 0; i < SAMPLES; i++) {
                timed += (cached.id(i).key().low() & 63) == 0 ? 1 : 0;
            }
            run(cached, 3);

            assertThat(timed).isBetween(1, 40);
            assertThat(cache.tiers()).hasSize(2);
            assertThat(registry.get("penstock.tier.get")
                            .tags("tier", "ram", "result", "hit")
                            .timer()
                            .count())
                    .isEqualTo(2L * timed);
            assertThat(registry.get("penstock.tier.get")
                            .tags("tier", "ram", "result", "miss")
                            .timer()
                            .count())
                    .isBetween((long) timed, 2L * timed);
            assertThat(registry.get("penstock.tier.get")
                            .tags("tier", "distant", "result", "miss")
                            .timer()
                            .count())
                    .isBetween((long) timed, 2L * timed);
            assertThat(registry.get("penstock.tier.put")
                            .tag("tier", "ram")
                            .timer()
                            .count())
                    .isEqualTo(timed);
            assertThat(registry.get("penstock.tier.put")
                            .tag("tier", "distant")
                            .timer()
                            .count())
                    .isEqualTo(timed);
        }
    }

    /** In this cache a hit of the slower tier stays there, if that tier is seen to drop values in an order of its own. */
    @Test
    void timed_chainInTheOrderOfUse_hitsAsOftenAsOneThatIsNot() {
        List<Long> hits = new ArrayList<>();
        for (boolean timed : new boolean[] {false, true}) {
            Tier keeping = new TierAround(RamTier.ofBytes(64 << 20)) {
                @Override
                public Eviction eviction() {
                    return Eviction.DROPPED;
                }
            };
            Cache chain =
                    Cache.of(RamTier.of(CachePolicy.LRU).maxBytes(64 << 10).open(), keeping);
            try (Cache cache = timed ? TierMetrics.timed(chain, registry) : chain) {
                Dataset<Tensor> cached = new Numbered().cache(cache, SCHEMA);
                cached.stream(
                                Sampler.shuffled(1).epochs(4),
                                Execution.standard().inFlight(1))
                        .blockLast();
                hits.add(cached.statistics(3).hits().get("ram"));
                hits.add(cache.statistics().samples());
            }
        }

        assertThat(hits.subList(2, 4)).isEqualTo(hits.subList(0, 2));
    }
}
