package io.penstock.page;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Tells the threads of all browsers when there may be something new; whoever is late misses ticks, which pile up nowhere. */
final class Ticks {

    private static final long MOST_SECONDS = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long number;
    private boolean closed;

    void tick() {
        lock.lock();
        try {
            number++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a tick later than this one: its number, or -1 once there will be none. */
    long after(long last) throws InterruptedException {
        lock.lock();
        try {
            long nanos = TimeUnit.SECONDS.toNanos(MOST_SECONDS);
            while (!closed && number <= last && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            return closed ? -1 : number;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
