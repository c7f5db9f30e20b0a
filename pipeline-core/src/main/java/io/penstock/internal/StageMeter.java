package io.penstock.internal;

import io.penstock.order.Draw;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts and times one stage, by the epoch of the draws, since loads of the next epoch begin while this one ends.
 *
 * <p>Reading the clock twice costs as much as a cheap stage does, so stages that take less than two microseconds are
 * timed on one draw in 64, chosen by the draw's index, so that threads do not contend for a counter.
 */
public final class StageMeter {

    private static final int EPOCHS_KEPT = 8;
    private static final long CHEAP_NANOS = 2_000;
    private static final long ONE_IN = 64;

    private final ConcurrentSkipListMap<Long, Counts> epochs = new ConcurrentSkipListMap<>();
    private final Counts past = new Counts(-1); // of epochs that are no longer kept
    private final Object forgetting = new Object();
    private volatile Counts recent = new Counts(-1);
    private volatile boolean cheap;

    /** What was counted. */
    public static final class Counts {
        final long epoch;
        public final LongAdder samples = new LongAdder();
        final LongAdder timed = new LongAdder();
        final LongAdder nanos = new LongAdder();

        Counts(long epoch) {
            this.epoch = epoch;
        }

        void add(Counts other) {
            samples.add(other.samples.sum());
            timed.add(other.timed.sum());
            nanos.add(other.nanos.sum());
        }

        /** The time of all samples, extrapolated from those that were timed. */
        public long totalNanos() {
            long of = timed.sum();
            return of == 0 ? 0 : (long) ((double) nanos.sum() / of * samples.sum());
        }
    }

    /** The clock, or 0 where this draw is not timed. */
    public long start(Draw draw) {
        return cheap && (draw.index() & ONE_IN - 1) != 0 ? 0 : System.nanoTime();
    }

    public void stop(Draw draw, long started) {
        Counts counts = at(draw.epoch());
        counts.samples.increment();
        if (started != 0) {
            long took = System.nanoTime() - started;
            counts.timed.increment();
            counts.nanos.add(took);
            if (cheap != took < CHEAP_NANOS) {
                cheap = took < CHEAP_NANOS;
            }
        }
    }

    /** Counts a draw without timing it. */
    public void count(Draw draw) {
        at(draw.epoch()).samples.increment();
    }

    /** Counts draws of one epoch without timing them. */
    public void count(long epoch, long samples) {
        at(epoch).samples.add(samples);
    }

    private Counts at(long epoch) {
        Counts seen = recent;
        return seen.epoch == epoch ? seen : open(epoch);
    }

    private Counts open(long epoch) {
        Counts counts = epochs.computeIfAbsent(epoch, Counts::new);
        if (epochs.size() > EPOCHS_KEPT) {
            forgetFirst();
        }
        recent = counts;
        return counts;
    }

    private void forgetFirst() {
        synchronized (forgetting) {
            if (epochs.size() > EPOCHS_KEPT) {
                past.add(epochs.pollFirstEntry().getValue());
            }
        }
    }

    /** What was counted in all epochs. Counts that reach an epoch after it was forgotten are lost. */
    public Counts total() {
        Counts total = new Counts(-1);
        synchronized (forgetting) {
            total.add(past);
            epochs.values().forEach(total::add);
        }
        return total;
    }

    /** What was counted in an epoch; zero if that was long ago or never. */
    public Counts of(long epoch) {
        Counts counts = epochs.get(epoch);
        return counts == null ? new Counts(epoch) : counts;
    }
}
