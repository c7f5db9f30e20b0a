package io.penstock.batch.internal;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one subscription. The thread that fills slots takes them; closing a batch gives one back.
 *
 * <p>The slot that came back last is taken first: it is still in the processor's caches. So the other slots take no
 * memory while the consumer keeps up.
 */
public final class SlotRing {

    private final Deque<Slot> free = new ConcurrentLinkedDeque<>();
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicBoolean leakTold = new AtomicBoolean();
    private final Runnable returned;
    private final int slots;
    private final Supplier<Slot> slot;
    private boolean grown;
    private volatile boolean closed;

    public SlotRing(int slots, Supplier<Slot> slot, Runnable returned) {
        this.slots = slots;
        this.returned = returned;
        this.slot = slot;
        for (int i = 0; i < slots; i++) {
            free.push(slot.get());
        }
    }

    public int slots() {
        return slots;
    }

    /** The number of slots in complete batches that are not closed. */
    public int lent() {
        return lent.get();
    }

    public @Nullable Slot take() {
        return free.pollFirst();
    }

    /** Puts back a slot that was taken and is not needed. */
    public void putBack(Slot slot) {
        if (!closed) {
            free.push(slot);
        }
    }

    /** Adds one slot, the first time: for the batch that is held back. Called by the thread that fills slots. */
    public void grow() {
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

    /** No slot will be taken any more. The garbage collector frees those that are free or come back. */
    public void close() {
        closed = true;
        free.clear();
    }

    /** Whether this is the first leak of the stream, which is logged. */
    boolean firstLeak() {
        return leakTold.compareAndSet(false, true);
    }
}
