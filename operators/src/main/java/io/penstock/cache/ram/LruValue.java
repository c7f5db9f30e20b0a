package io.penstock.cache.ram;

import io.penstock.cache.SampleKey;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A value of {@link LruTier}, its room, and its place in the {@linkplain LruOrder order}. */
final class LruValue {

    private static final AtomicIntegerFieldUpdater<LruValue> PINS =
            AtomicIntegerFieldUpdater.newUpdater(LruValue.class, "pins");

    /** Added once the value is forgotten; without pins, its room is free then. */
    private static final int FORGOTTEN = Integer.MIN_VALUE;

    final SampleKey key;
    final int length;
    final int[] room;

    /** Neighbours, changed by the order alone. */
    @Nullable LruValue older;

    @Nullable LruValue newer;

    private volatile int pins;

    LruValue(SampleKey key, int length, int[] room) {
        this.key = key;
        this.length = length;
        this.room = room;
    }

    /** Keeps the room from being used again; {@code false} if the value is forgotten. */
    boolean pin() {
        int now = pins;
        while (now >= 0) {
            if (PINS.compareAndSet(this, now, now + 1)) {
                return true;
            }
            now = pins;
        }
        return false;
    }

    /** Whether this was the last thing that kept the room. */
    boolean unpin() {
        return PINS.decrementAndGet(this) == FORGOTTEN;
    }

    /** Called once; whether nothing keeps the room. */
    boolean forget() {
        return PINS.addAndGet(this, FORGOTTEN) == FORGOTTEN;
    }

    boolean isForgotten() {
        return pins < 0;
    }
}
