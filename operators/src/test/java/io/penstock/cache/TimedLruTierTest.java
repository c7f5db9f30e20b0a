package io.penstock.cache;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.metrics.TierMetrics;
import io.penstock.pipeline.Tier;

/** Timing a tier in the order of last use changes nothing. */
class TimedLruTierTest extends LruTierTest {

    @Override
    Tier open(long bytes) {
        return TierMetrics.timed(super.open(bytes), new SimpleMeterRegistry());
    }
}
