package io.penstock.shops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.cache.Cache;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.ram.RamTier;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class PenstockAutoConfigurationTest {

    private static final Schema<Tensor> SCHEMA = Schema.tensor("value");

    @TempDir
    private Path folder;

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    SimpleMetricsExportAutoConfiguration.class,
                    PenstockAutoConfiguration.class));

    /** Twice, one after the other: an epoch that is read ahead may ask for a value before the one before has it in RAM. */
    private static void read(Cache cache) {
        Pipeline<Tensor> cached = MemoryDataset.generate("values", 100, index -> Tensor.ofBytes(new byte[64]))
                .cache(cache, SCHEMA);
        for (int epoch = 0; epoch < 2; epoch++) {
            cached.stream(Sampler.shuffled(1).epochs(1)).blockLast();
        }
    }

    private static List<String> tiers(Cache cache) {
        return cache.tiers().stream().map(Tier::name).toList();
    }

    @Test
    void cache_isThatOfTheProperties_andItsMetersAreBound() {
        context.withPropertyValues("penstock.cache.ram=1MB").run(application -> {
            Cache cache = application.getBean(Cache.class);
            read(cache);

            assertThat(tiers(cache)).containsExactly("ram");
            assertThat(cache.statistics().capacity()).isBetween(1_000_000L, 1L << 20);
            assertThat(application
                            .getBean(MeterRegistry.class)
                            .get("penstock.tier.hits")
                            .tag("tier", "ram")
                            .functionCounter()
                            .count())
                    .isEqualTo(100);
        });
    }

    @Test
    void disk_isASecondTier_whichTheNextApplicationFinds() {
        ApplicationContextRunner onDisk = context.withPropertyValues(
                "penstock.cache.ram=1MB",
                "penstock.cache.disk=" + folder.resolve("cache"),
                "penstock.cache.disk-size=64MB");
        onDisk.run(application -> read(application.getBean(Cache.class)));

        onDisk.run(application -> {
            Cache cache = application.getBean(Cache.class);
            read(cache);

            assertThat(tiers(cache)).containsExactly("ram", "disk");
            assertThat(cache.tiers().get(1).statistics().hits()).isEqualTo(100);
        });
    }

    @Test
    void cacheOfTheApplication_comesFirst() {
        Cache own = Cache.of(RamTier.ofBytes(4096));

        context.withBean(Cache.class, () -> own)
                .run(application -> assertThat(application.getBean(Cache.class)).isSameAs(own));
    }

    @Test
    void applicationWithoutHealth_starts() {
        context.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(application ->
                        assertThat(application).hasSingleBean(Cache.class).doesNotHaveBean("penstockHealthIndicator"));
    }

    @Test
    void health_isUp_andTellsWhatTheTiersHold() {
        context.withPropertyValues("penstock.cache.ram=1MB").run(application -> {
            Health health = application.getBean(HealthIndicator.class).health();

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsKey("ram").containsEntry("errors", 0L);
        });
    }

    /** A tier of which only its name and counts are asked. */
    private static Tier failing(AtomicLong errors) {
        return (Tier) Proxy.newProxyInstance(
                Tier.class.getClassLoader(),
                new Class<?>[] {Tier.class},
                (tier, method, arguments) -> switch (method.getName()) {
                    case "name" -> "disk";
                    case "eviction" -> Tier.Eviction.NONE;
                    case "statistics" -> new TierStatistics(0, 0, 0, 0, 0, 0, 0, errors.get());
                    default -> null;
                });
    }

    @Test
    void health_isDown_untilATierFailsNoMore() {
        AtomicLong errors = new AtomicLong();

        context.withBean(Cache.class, () -> Cache.of(failing(errors))).run(application -> {
            HealthIndicator indicator = application.getBean(HealthIndicator.class);
            List<Status> seen = new ArrayList<>();
            for (long failures : new long[] {0, 2, 2, 3}) {
                errors.set(failures);
                seen.add(indicator.health().getStatus());
            }

            assertThat(seen).containsExactly(Status.UP, Status.DOWN, Status.UP, Status.DOWN);
        });
    }
}
