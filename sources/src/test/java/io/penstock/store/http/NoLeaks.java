package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class after which Netty reports a leaked buffer. */
final class NoLeaks implements AfterAllCallback {

    private static final int MAX_COLLECTIONS = 20;
    private static final int MILLIS_A_COLLECTION = 500;

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        assertThat(found()).isEmpty();
    }

    /** What was leaked until now: collected, then found, which Netty does whenever it makes a buffer. */
    static String found() throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            collect();
            ByteBufAllocator.DEFAULT.buffer().release();
            ByteBufAllocator.DEFAULT.directBuffer().release();
        }
        return LeakReports.take();
    }

    private static void collect() throws InterruptedException {
        ReferenceQueue<byte[]> collected = new ReferenceQueue<>();
        PhantomReference<byte[]> canary = new PhantomReference<>(new byte[1], collected);
        for (int i = 0; i < MAX_COLLECTIONS; i++) {
            System.gc();
            if (collected.remove(MILLIS_A_COLLECTION) == canary) {
                return;
            }
        }
    }
}
