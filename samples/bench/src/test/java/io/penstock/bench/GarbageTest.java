package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Entry;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.ram.RamTier;
import io.penstock.tensor.Encoded;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class GarbageTest {

    private static final int CACHES = 8;
    private static final int BYTES = 4 << 20;
    private static final int SAMPLES = 8; // a larger tier asks for a collection when it is closed

    @Test
    void clear_afterCachesInRam_leavesNoneOfTheirMappings() {
        Garbage.clear();
        long before = mapped();
        for (int i = 0; i < CACHES; i++) {
            fill();
        }
        long filled = mapped();

        Garbage.clear();

        assertThat(filled).isGreaterThan(before);
        assertThat(mapped()).isLessThanOrEqualTo(before);
    }

    private static void fill() {
        ByteBuffer value = ByteBuffer.allocateDirect(BYTES); // no garbage that would be collected anyway
        try (RamTier tier = RamTier.ofBytes(32L * BYTES)) {
            for (int i = 0; i < SAMPLES; i++) {
                assertThat(tier.put(SampleKey.of("left").with(i), Encoded.of(value.duplicate()), Entry.UNKNOWN)
                                .block())
                        .isEqualTo(Put.HELD);
            }
        }
    }

    private static long mapped() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("mapped"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
