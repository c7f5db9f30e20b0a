package io.penstock.cache.internal;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that is never overdrawn. */
public final class ByteBudget {

    private final long total;
    private final AtomicLong used = new AtomicLong();

    public ByteBudget(long total) {
        this.total = total;
    }

    /** Takes all the bytes or none of them. */
    public boolean take(long bytes) {
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

    public void giveBack(long bytes) {
        used.addAndGet(-bytes);
    }

    public long used() {
        return used.get();
    }

    public long free() {
        return total - used.get();
    }

    public long total() {
        return total;
    }
}
