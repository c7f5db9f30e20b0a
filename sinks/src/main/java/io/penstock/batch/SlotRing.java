package io.penstock.batch;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one subscription: taken by the thread that fills them, given back by whoever closes a batch.
 *
 * <p>The one that came back last goes out first: it is still in the processor's caches, and a consumer that keeps up
 * never makes the others take memory.
 */
final class SlotRing {

    private final Deque<Slot> free = new ConcurrentLinkedDeque<>();
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicBoolean leakTold = new AtomicBoolean();
    private final Runnable returned;
    private final int slots;
    private final Supplier<Slot> slot;
    private boolean grown;
    private volatile boolean closed;

    SlotRing(int slots, Supplier<Slot> slot, Runnable returned) {
        this.slots = slots;
        this.returned = returned;
        this.slot = slot;
        for (int i = 0; i < slots; i++) {
            free.push(slot.get());
        }
    }

    int slots() {
        return slots;
    }

    /** How many are in finished batches that are not closed. */
    int lent() {
        return lent.get();
    }

    /** A free slot, or null. */
    @Nullable Slot take() {
        return free.pollFirst();
    }

    /** Puts back a slot that was taken and is not needed. */
    void putBack(Slot slot) {
        if (!closed) {
            free.push(slot);
        }
    }

    /** One slot more, once: for the batch that is held back. By the thread that fills slots. */
    void grow() {
        if (!grown) {
            grown = true;
            putBack(slot.get());
        }
    }

    void lend() {
        lent.incrementAndGet();
    }

    /** Gives back the slot of a batch; from any thread. */
    void give(Slot slot) {
        putBack(slot);
        lent.decrementAndGet();
        returned.run();
    }

    /** Nothing will be taken any more: what is free, and what comes back, is left to the collector. */
    void close() {
        closed = true;
        free.clear();
    }

    /** Whether this is the first leak of the stream: one line of advice is enough. */
    boolean firstLeak() {
        return leakTold.compareAndSet(false, true);
    }
}
