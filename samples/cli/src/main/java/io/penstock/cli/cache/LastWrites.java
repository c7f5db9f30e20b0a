package io.penstock.cli.cache;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets the virtual machine wait, once a signal has come, until a cache on disk has written what it was given: without
 * that a run that is interrupted early leaves nothing. It is a moment but where the machine is busy or the disk is
 * slow.
 */
public final class LastWrites {

    private static final long GRACE_MILLIS = 8000;

    private final CountDownLatch written = new CountDownLatch(1);

    public void done() {
        written.countDown();
    }

    /** Waits a moment for it; whether it came. */
    public boolean await() {
        try {
            return written.await(GRACE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
