package io.penstock.cache;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.cache.ram.RamTier;
import io.penstock.metrics.TierMetrics;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A chain of timed tiers is a tier: here of RAM that holds nothing, and a disk. */
class TimedChainTest extends ChronicleTierKitTest {

    private @Nullable Tier disk;

    @Override
    protected Set<Trait> traits() {
        return EnumSet.of(Trait.WANTS_ORIGINS, Trait.REMOVES_KEYS, Trait.LEASES, Trait.ASKS_FIRST);
    }

    @Override
    protected Tier open(long bytes) {
        disk = super.open(bytes);
        return TierMetrics.timed(Cache.of(RamTier.ofBytes(1), disk), new SimpleMeterRegistry())
                .chain();
    }

    @Override
    protected void settle(Tier tier) {
        super.settle(disk);
    }
}
