package io.penstock.cli.demo;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How slowly a consumer takes its batches, which someone else may change at any moment, while it waits too. */
final class ConsumerDelay {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long millis;
    private boolean paused;
    private boolean released;

    ConsumerDelay(long millis) {
        this.millis = millis;
    }

    /** Holds the calling thread for as long as a batch is to take. */
    void hold() {
        long started = System.nanoTime();
        lock.lock();
        try {
            while (!released) {
                long left = TimeUnit.MILLISECONDS.toNanos(millis) - (System.nanoTime() - started);
                if (paused) {
                    changed.await();
                } else if (left > 0) {
                    changed.awaitNanos(left);
                } else {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Milliseconds a batch. */
    void slowTo(long millisABatch) {
        change(() -> millis = millisABatch);
    }

    void pause(boolean whether) {
        change(() -> paused = whether);
    }

    /** Holds nobody any more. */
    void release() {
        change(() -> released = true);
    }

    private void change(Runnable how) {
        lock.lock();
        try {
            how.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long millis() {
        lock.lock();
        try {
            return millis;
        } finally {
            lock.unlock();
        }
    }

    boolean isPaused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }
}
