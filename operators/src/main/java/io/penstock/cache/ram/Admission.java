package io.penstock.cache.ram;

import io.penstock.cache.Entry;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is worth keeping, in 128 degrees: values of one worth lie together, and those of little worth give way to
 * others. Thread-safe.
 */
sealed interface Admission {

    /** What a slower tier holds too: gives way to everything that it does not. */
    int SPARE = 0;

    int WORTHS = 128;

    /** The worth of a value of this many bytes. */
    int worth(Entry about, int bytes);

    /** What is worth less than this gives way to a value of this worth. */
    int givingWayTo(int worth);

    /** What is worth less than this gives way to something. */
    int givingWay();

    /** How many slabs a tier should have at least: this is what is given up at a time. */
    int parts();

    /** First come, first kept; only spare copies give way. */
    final class FirstCome implements Admission {

        @Override
        public int worth(Entry about, int bytes) {
            return about.spare() ? SPARE : 1;
        }

        @Override
        public int givingWayTo(int worth) {
            return worth;
        }

        @Override
        public int givingWay() {
            return 1;
        }

        @Override
        public int parts() {
            return 16;
        }
    }

    /**
     * By the time that a byte saves: loading nanoseconds a byte, in steps of a quarter octave from 2^-14 to 2^17.
     *
     * <p>Uniform use makes the best set to keep a fractional knapsack: what saves the largest time per byte. While
     * values come for the first two epochs, what saves more takes the place of what saves least, and of equals those
     * stay that are there. What gives way is by at least one degree less, so the least worth held only rises, nothing
     * is swapped to and fro, and at the end all that was seen above it is held. Then nothing moves any more: measured
     * times waver, and each swap would cost a hit. To swap in the first epoch already loses nothing, since an epoch
     * asks for each sample once, and needs no record of what was measured: the worth of a held value is that of its
     * slab. The second epoch mends what the first measured before its code was compiled.
     */
    final class SavedCost implements Admission {

        private static final int SWAPPING_EPOCHS = 2;
        private static final int LEAST_LOG2 = -14;
        private static final int STEPS_AN_OCTAVE = 4;
        private static final double LOG2 = Math.log(2);

        private final AtomicLong firstEpoch = new AtomicLong(Long.MIN_VALUE);
        private volatile boolean frozen;

        @Override
        public int worth(Entry about, int bytes) {
            if (about.spare()) {
                return SPARE;
            }
            if (!frozen) {
                firstEpoch.compareAndSet(Long.MIN_VALUE, about.epoch());
                frozen = about.epoch() - firstEpoch.get() >= SWAPPING_EPOCHS;
            }
            double nanosAByte = Math.max(0, about.loadNanos()) / (double) Math.max(1, bytes);
            double steps = STEPS_AN_OCTAVE * (Math.log(nanosAByte) / LOG2 - LEAST_LOG2);
            return (int) Math.max(1, Math.min(WORTHS - 1, 1 + Math.rint(steps)));
        }

        @Override
        public int givingWayTo(int worth) {
            return frozen ? Math.min(worth, 1) : worth;
        }

        @Override
        public int givingWay() {
            return frozen ? 1 : WORTHS - 1;
        }

        @Override
        public int parts() {
            return 64;
        }
    }
}
