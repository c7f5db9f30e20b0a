package io.penstock.cache;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.metrics.TierMetrics;
import io.penstock.pipeline.Tier;

/** Timing a RAM tier changes nothing. */
class TimedRamTierTest extends RamTierTest {

    @Override
    Tier open(long bytes) {
        return TierMetrics.timed(super.open(bytes), new SimpleMeterRegistry());
    }
}
