package io.penstock.cli.demo;

import java.util.concurrent.TimeUnit;

/** How slowly a consumer takes its batches, which someone else may change at any moment, while it waits too. */
final class ConsumerDelay {

    private final Object changed = new Object();
    private long millis;
    private boolean paused;
    private boolean released;

    ConsumerDelay(long millis) {
        this.millis = millis;
    }

    /** Holds the calling thread for as long as a batch is to take. */
    void hold() {
        synchronized (changed) {
            long started = System.nanoTime();
            try {
                while (!released) {
                    long left = TimeUnit.MILLISECONDS.toNanos(millis) - (System.nanoTime() - started);
                    if (paused) {
                        changed.wait();
                    } else if (left > 0) {
                        TimeUnit.NANOSECONDS.timedWait(changed, left);
                    } else {
                        return;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void slowTo(long millisABatch) {
        change(() -> millis = millisABatch);
    }

    void pause(boolean whether) {
        change(() -> paused = whether);
    }

    /** Holds no thread any more. */
    void release() {
        change(() -> released = true);
    }

    private void change(Runnable change) {
        synchronized (changed) {
            change.run();
            changed.notifyAll();
        }
    }

    long millis() {
        synchronized (changed) {
            return millis;
        }
    }

    boolean isPaused() {
        synchronized (changed) {
            return paused;
        }
    }
}
