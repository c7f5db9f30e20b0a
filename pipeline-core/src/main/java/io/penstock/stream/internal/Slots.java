package io.penstock.stream.internal;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A ring with a slot for each number of a window: that of number k is k mod capacity. */
final class Slots<E> {

    private final AtomicReferenceArray<@Nullable E> ring;
    private final int mask;

    /** @param window the max number of slots in use at a time */
    Slots(int window) {
        this.ring = new AtomicReferenceArray<>(Integer.highestOneBit(Math.max(2, window * 2 - 1)));
        this.mask = ring.length() - 1;
    }

    int capacity() {
        return ring.length();
    }

    @Nullable E get(long number) {
        return ring.get((int) number & mask);
    }

    void set(long number, @Nullable E value) {
        ring.set((int) number & mask, value);
    }

    /** As {@link #set}, for a caller that publishes it to other threads afterwards. */
    void setLazily(long number, @Nullable E value) {
        ring.lazySet((int) number & mask, value);
    }

    @Nullable E take(long number) {
        return ring.getAndSet((int) number & mask, null);
    }

    void forEach(Consumer<E> action) {
        for (int slot = 0; slot <= mask; slot++) {
            E value = ring.get(slot);
            if (value != null) {
                action.accept(value);
            }
        }
    }

    void clear(Consumer<E> action) {
        for (int slot = 0; slot <= mask; slot++) {
            E value = ring.getAndSet(slot, null);
            if (value != null) {
                action.accept(value);
            }
        }
    }
}
