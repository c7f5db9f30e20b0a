package io.penstock.stream.internal;

import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of one stream's samples that are loaded and not delivered, and how many more may be begun under a
 * {@link ReadAhead}.
 *
 * <p>Draws whose outcome has come are counted from the beginning of the stream, those delivered among them, so what may
 * be begun is a number of draws that only ever grows while sizes stay alike: all that have come, and as many as fit
 * into the bytes that are left. Bytes are added before a draw is counted as come, so the bound errs to the safe side in
 * between.
 */
final class ReadAheadBytes<T> {

    /** A largest size is forgotten by this share with each sample. */
    private static final int FORGETTING = 7;

    private final ReadAhead<? super T> bound;
    private final long[] sizes;
    private final int mask;
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong largest = new AtomicLong();
    private final AtomicLong come = new AtomicLong();

    /** @param capacity of the stream's ring of draws, a power of two */
    ReadAheadBytes(ReadAhead<? super T> bound, int capacity) {
        this.bound = bound;
        this.sizes = new long[capacity];
        this.mask = capacity - 1;
    }

    /** Called when a draw has its outcome, before the draining thread can see it. */
    @SuppressWarnings("unchecked") // what is no failure is a sample of the stream's type
    void came(long number, Object outcome) {
        long size = 0;
        if (outcome instanceof Sample<?> sample && sample.isPresent()) {
            size = Math.max(0, bound.size().applyAsLong((T) sample.value()));
        }
        sizes[(int) number & mask] = size;
        held.addAndGet(size);
        long now = size;
        largest.updateAndGet(before -> Math.max(now, before - (before >> FORGETTING)));
        come.incrementAndGet();
    }

    /** A draw was taken out to be delivered. */
    void left(long number) {
        held.addAndGet(-sizes[(int) number & mask]);
    }

    /** The number of the first draw that must not be begun yet. */
    long limit() {
        long there = come.get();
        long each = Math.max(1, largest.get());
        long fit = Math.max(0, bound.bytes() - held.get()) / each;
        return there + Math.min(fit, there + 1);
    }
}
