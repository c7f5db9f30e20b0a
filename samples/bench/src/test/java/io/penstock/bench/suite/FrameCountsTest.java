package io.penstock.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FrameCountsTest {

    private static final long NANOS = 300_000_000;

    @Test
    void during_ofABusyLoop_seesItsMethod() throws IOException {
        FrameCounts counts = FrameCounts.during(FrameCountsTest::spin);

        assertThat(counts.total()).isPositive();
        assertThat(counts.seconds()).isGreaterThanOrEqualTo(NANOS / 1e9);
        assertThat(counts.unseen()).isBetween(0.0, 1.0);
        assertThat(counts.shares().stream()
                        .mapToDouble(FrameCounts.Share::share)
                        .sum())
                .isCloseTo(1, within(1e-9));
        assertThat(counts.shares().get(0).share())
                .isGreaterThanOrEqualTo(
                        counts.shares().get(counts.shares().size() - 1).share());
        assertThat(counts.seen().keySet()).allSatisfy(name -> assertThat(name).contains("."));
    }

    /**
     * Takes processor time, not time: so it is seen on a busy machine too. In methods of its own, since the recorder does
     * not see a thread that is in the virtual machine, as one that asks for its time is.
     */
    private static void spin() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long until = threads.getCurrentThreadCpuTime() + NANOS;
        SplittableRandom random = new SplittableRandom(1);
        while (threads.getCurrentThreadCpuTime() < until) {
            assertThat(random.longs(1_000_000).reduce(0, Long::sum)).isNotZero();
        }
    }
}
