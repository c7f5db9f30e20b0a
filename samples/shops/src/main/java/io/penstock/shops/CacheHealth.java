package io.penstock.shops;

import io.penstock.cache.Cache;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Down while tiers fail: if one had an error since the last look. A stream goes on without them, and loads every sample.
 */
final class CacheHealth implements HealthIndicator {

    private final Cache cache;
    private final AtomicLong seen = new AtomicLong();

    CacheHealth(Cache cache) {
        this.cache = cache;
    }

    @Override
    public Health health() {
        long errors = 0;
        Health.Builder health = Health.up();
        for (Tier tier : cache.tiers()) {
            TierStatistics now = tier.statistics();
            errors += now.errors();
            health.withDetail(tier.name(), "%,d of %,d bytes".formatted(now.bytes(), now.capacity()));
        }
        health.withDetail("errors", errors);
        return (errors > seen.getAndSet(errors) ? health.down() : health).build();
    }
}
