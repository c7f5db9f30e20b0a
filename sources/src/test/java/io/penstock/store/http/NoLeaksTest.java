package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.Test;

/** That a leak would be seen. */
class NoLeaksTest {

    @Test
    void buffer_thatNobodyGivesBack_isFound() throws InterruptedException {
        NoLeaks.found();

        leak();
        String found = NoLeaks.found();

        assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
        assertThat(found).contains("ByteBuf was not given back").contains("NoLeaksTest.leak");
    }

    private static void leak() {
        ByteBufAllocator.DEFAULT.directBuffer(16).writeByte(1);
    }
}
