package io.penstock.order;

import io.penstock.order.internal.CounterRandom;
import io.penstock.order.internal.Mixing;
import java.util.random.RandomGenerator;

/**
 * One use of a sample: everything that decides its value. The same draw of the same pipeline has the same value, on any
 * thread, rank and machine.
 *
 * @param seed  of the run
 * @param epoch counted from 0
 * @param index of the sample in its dataset, or {@link #PADDING} where a rank only keeps step with the others
 * @param turn  tells draws of one index in one epoch apart; 0 where an order draws each index once an epoch
 * @param next  where a run goes on once every rank has made as many draws as this one
 * @param left  how many draws its rank makes in the epoch after this one; {@link #UNKNOWN} outside a run
 */
public record Draw(long seed, long epoch, long index, long turn, Position next, long left) {

    /** The index of a draw that has no sample. */
    public static final long PADDING = -1;

    /** The number of draws that are left where it is not known: more than any epoch has. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    public Draw {
        if (epoch < 0 || index < PADDING || turn < 0 || left < 0) {
            throw new IllegalArgumentException("draw must not be negative: epoch %d, index %d, turn %d, %d left"
                    .formatted(epoch, index, turn, left));
        }
    }

    /** A draw that is its rank's last of the epoch if {@code next} says so, and one of unknown many if not. */
    public Draw(long seed, long epoch, long index, Position next) {
        this(seed, epoch, index, 0, next, next.epoch() > epoch ? 0 : UNKNOWN);
    }

    /** A draw outside any run: of seed 0 in epoch 0. */
    public static Draw of(long index) {
        return new Draw(0, 0, index, Position.START);
    }

    /** The same draw of another sample. */
    public Draw at(long otherIndex) {
        return new Draw(seed, epoch, otherIndex, turn, next, left);
    }

    /** Whether this draw has no sample and only keeps ranks in step. */
    public boolean isPadding() {
        return index == PADDING;
    }

    /** Whether this is its rank's last draw of the epoch. */
    public boolean endsEpoch() {
        return left == 0 || next.epoch() > epoch; // other ranks may draw once more in it
    }

    /**
     * The random numbers that one stage may use for this draw: a function of (seed, epoch, index, turn, stage) alone.
     *
     * <p>Each call starts the same sequence again. The generator is for the calling thread only.
     */
    public RandomGenerator random(String stage) {
        return CounterRandom.of(seed, epoch, index, turn, Mixing.hash(stage));
    }
}
