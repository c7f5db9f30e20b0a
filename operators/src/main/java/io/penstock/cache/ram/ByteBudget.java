package io.penstock.cache.ram;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that is never overdrawn. */
final class ByteBudget {

    private final long total;
    private final AtomicLong used = new AtomicLong();

    ByteBudget(long total) {
        this.total = total;
    }

    /** Takes all the bytes or none of them. */
    boolean take(long bytes) {
        for (; ; ) {
            long now = used.get();
            if (bytes > total - now) {
                return false;
            }
            if (used.compareAndSet(now, now + bytes)) {
                return true;
            }
        }
    }

    void giveBack(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }

    long free() {
        return total - used.get();
    }

    long total() {
        return total;
    }
}
