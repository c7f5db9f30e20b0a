package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is given up comes back by the collector, which is asked for it as rarely as that allows. */
class ReclaimTest {

    private final byte[] held = new byte[1];
    private final AtomicLong back = new AtomicLong();
    private final AtomicInteger collections = new AtomicInteger();
    private final Reclaim reclaim = new Reclaim(back::addAndGet, () -> {
        collections.incrementAndGet();
        Reclaim.now();
    });

    @Test
    void collect_ofWhatNothingLeadsTo_givesItBack() {
        reclaim.add(new byte[1], 100);

        boolean collected = reclaim.collect(0);

        assertThat(collected).isTrue();
        assertThat(reclaim.bytes()).isZero();
        assertThat(back).hasValue(100);
    }

    @Test
    void collect_whereSoMuchMayBeMissing_leavesTheCollectorAlone() {
        reclaim.add(held, 100);

        assertThat(reclaim.collect(100)).isFalse();

        assertThat(collections).hasValue(0);
    }

    @Test
    void collect_whileAViewIsHeld_isNotRepeatedAtOnce() {
        reclaim.add(held, 100);
        for (int i = 0; i < 100; i++) {
            assertThat(reclaim.collect(0)).isFalse();
        }

        assertThat(collections.get()).isBetween(1, 20);
        assertThat(reclaim.bytes()).isEqualTo(100);
        assertThat(back).hasValue(0);
    }

    @Test
    void collect_afterTheLastViewHasGone_givesBackWhatIsNotHeld() {
        reclaim.add(held, 100);
        reclaim.add(new byte[1], 50);

        assertThat(reclaim.collect(100)).isTrue();

        assertThat(reclaim.bytes()).isEqualTo(100);
        assertThat(back).hasValue(50);
    }
}
