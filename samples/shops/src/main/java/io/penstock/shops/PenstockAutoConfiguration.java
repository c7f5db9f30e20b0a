package io.penstock.shops;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.cache.Cache;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.metrics.TierMetrics;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.unit.DataSize;

/** A cache with its meters, and its health where Boot has these. It is closed with the context. */
@AutoConfiguration
@EnableConfigurationProperties(PenstockAutoConfiguration.CacheProperties.class)
public class PenstockAutoConfiguration {

    /**
     * The cache of an application.
     *
     * @param ram      what it may hold in memory
     * @param disk     the folder of its tier on disk; none if null
     * @param diskSize what it may hold there
     */
    @ConfigurationProperties("penstock.cache")
    public record CacheProperties(
            @DefaultValue("256MB") DataSize ram,
            @Nullable Path disk,
            @DefaultValue("10GB") DataSize diskSize) {}

    @Bean
    @ConditionalOnMissingBean
    Cache penstockCache(CacheProperties properties) {
        RamTier ram = RamTier.ofBytes(properties.ram().toBytes());
        return properties.disk() == null
                ? Cache.of(ram)
                : Cache.of(
                        ram,
                        ChronicleTier.at(properties.disk())
                                .maxBytes(properties.diskSize().toBytes())
                                .open());
    }

    /** Apart, as the class names what may not be there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {

        @Bean
        TierMetrics penstockMeters(Cache cache) {
            return new TierMetrics(cache);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    static class Healths {

        /** Down if a tier had an error since the last look: a stream goes on without it, and loads every sample. */
        @Bean
        HealthIndicator penstockHealthIndicator(Cache cache) {
            AtomicLong seen = new AtomicLong();
            return () -> {
                long errors = 0;
                Health.Builder health = Health.up();
                for (Tier tier : cache.tiers()) {
                    TierStatistics now = tier.statistics();
                    errors += now.errors();
                    health.withDetail(tier.name(), "%,d of %,d bytes".formatted(now.bytes(), now.capacity()));
                }
                health.withDetail("errors", errors);
                return (errors > seen.getAndSet(errors) ? health.down() : health).build();
            };
        }
    }
}
