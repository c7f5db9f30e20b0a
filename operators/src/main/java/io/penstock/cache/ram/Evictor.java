package io.penstock.cache.ram;

import io.penstock.cache.internal.RamIndex;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes room in a RAM tier that is full, one thread at a time: moves values together where others were removed, then
 * gives up what is worth less, a slab at a time, and has the collector look for memory that left. Thread-safe.
 */
final class Evictor {

    private final Slabs slabs;
    private final RamIndex index;
    private final AtomicLong samples;
    private final LongAdder evicted = new LongAdder();
    private final ReentrantLock givingUp = new ReentrantLock();

    /** @param samples of the tier, from which those that are given up are taken */
    Evictor(Slabs slabs, RamIndex index, AtomicLong samples) {
        this.slabs = slabs;
        this.index = index;
        this.samples = samples;
    }

    long evicted() {
        return evicted.sum();
    }

    /** What an attempt gives, {@code null} for want of room: then what is worth less gives way, if it may. */
    <R> @Nullable R withRoom(int length, int givingWay, Supplier<@Nullable R> attempt) {
        int seen = slabs.live.changes();
        boolean full = !slabs.live.givesRoom(givingWay);
        R first = attempt.get();
        if (first != null || full && slabs.live.changes() == seen) {
            return first;
        }
        givingUp.lock();
        try {
            R next = attempt.get();
            while (next == null && (Compaction.next(slabs, index) || giveUp(length, givingWay) || slabs.collect())) {
                next = attempt.get();
            }
            return next;
        } finally {
            slabs.collect();
            givingUp.unlock();
        }
    }

    /** First the keys, then the slab: a reader who found a key before finds either the value or, later, nothing. */
    private boolean giveUp(int length, int givingWay) {
        Slab slab = slabs.giveUp(givingWay, length);
        if (slab == null) {
            return false;
        }
        int forgotten = index.removeIf(location -> Places.number(location) == slab.number);
        samples.addAndGet(-forgotten);
        evicted.add(forgotten);
        slabs.gaveUp(slab);
        return true;
    }
}
