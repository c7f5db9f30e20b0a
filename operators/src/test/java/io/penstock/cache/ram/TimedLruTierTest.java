package io.penstock.cache.ram;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.cache.Cache;
import io.penstock.cache.Tier;
import io.penstock.metrics.TierMetrics;

/** Timing a tier in the order of last use changes nothing. */
class TimedLruTierTest extends LruTierTest {

    @Override
    protected Tier open(long bytes) {
        return TierMetrics.timed(Cache.of(super.open(bytes)), new SimpleMeterRegistry()).chain();
    }
}
