package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.testkit.TierKit;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk tier is a tier, also where it evicts. */
class LruChronicleTierKitTest extends TierKit {

    @TempDir
    static Path directory;

    private final AtomicInteger opened = new AtomicInteger();

    @Override
    protected Set<Trait> traits() {
        return Set.of(Trait.ANSWERS_GROUPS);
    }

    @Override
    protected Tier open(long bytes) {
        Path own = directory.resolve(System.identityHashCode(this) + "-" + opened.incrementAndGet());
        return ChronicleTier.at(own).maxBytes(bytes).leastRecentlyUsed().open();
    }

    /** Little may wait to be written, so a put waits for the disk. */
    @Override
    protected int effort(int work) {
        return work / 5;
    }

    @Override
    protected void settle(Tier tier) {
        ((ChronicleTier) tier).flush().block(TIMEOUT);
    }

    /** Unlike tiers that hold. */
    @Test
    @Override
    protected void put_intoAFullTier_isRefusedQuietly() {
        try (Tier tier = open(4 << 20)) {
            IntStream.range(0, 100).forEach(i -> put(tier, key(i), valueOf(i, 100_000)));
            settle(tier);

            long held = tier.statistics().samples();
            assertThat(held).isBetween(20L, 41L);
            // on a busy machine room can come too late, as files that are given up are freed by the collector
            long refused = tier.statistics().refused();
            assertThat(tier.statistics().evicted()).isEqualTo(100 - held - refused);
            for (int i = 0; i < 100; i++) {
                byte @Nullable [] found = get(tier, key(i));
                boolean expected = refused == 0 ? i >= 100 - held : found != null;
                assertThat(found).isEqualTo(expected ? valueOf(i, 100_000) : null);
            }
        }
    }
}
