package io.penstock.serve;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread is about to do. */
final class Eventually {

    private Eventually() {}

    /** Returns once the condition holds; a test's timeout ends it otherwise. */
    static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("what was awaited did not happen");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
