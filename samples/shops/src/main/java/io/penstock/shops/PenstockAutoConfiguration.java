package io.penstock.shops;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.cache.Cache;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.metrics.TierMetrics;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A cache as {@code penstock.cache.ram}, {@code disk} and {@code disk-size} say, with its meters, and its health where
 * Boot has these. It is closed with the context.
 */
@AutoConfiguration
@EnableConfigurationProperties(CacheProperties.class)
public class PenstockAutoConfiguration {

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

        @Bean
        HealthIndicator penstockHealthIndicator(Cache cache) {
            return new CacheHealth(cache);
        }
    }
}
