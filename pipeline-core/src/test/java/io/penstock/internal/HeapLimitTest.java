package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeapLimitTest {

    private static final long GIB = 1L << 30;

    @Test
    void of_aSmallHeap_isWhatHalfOfItHolds() {
        assertThat(HeapLimit.of(GIB, 2, GIB / 4)).isEqualTo(GIB / 16);
        assertThat(HeapLimit.of(GIB, 2, 16 * GIB)).isEqualTo(GIB);
    }

    @Test
    void of_thisHeap_isNoMoreThanHalf() {
        long half = Runtime.getRuntime().maxMemory() / 2;

        assertThat(HeapLimit.of(Long.MAX_VALUE, 1)).isEqualTo(half);
    }
}
