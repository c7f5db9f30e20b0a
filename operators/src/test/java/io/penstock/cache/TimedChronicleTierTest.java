package io.penstock.cache;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.metrics.TierMetrics;
import org.jspecify.annotations.Nullable;

/** Timing a disk tier changes nothing. */
class TimedChronicleTierTest extends ChronicleTierKitTest {

    private @Nullable Tier disk;

    @Override
    protected Tier open(long bytes) {
        disk = super.open(bytes);
        return TierMetrics.timed(Cache.of(disk), new SimpleMeterRegistry()).chain();
    }

    @Override
    protected void settle(Tier tier) {
        super.settle(disk);
    }
}
