package io.penstock.stream.internal;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Which draw of a {@link MergeRun} is delivered next, and which were delivered ahead of their turn. The first number
 * that was not delivered has the turn. Only the draining thread calls what changes it; other threads may ask the rest.
 */
final class Turns {

    private static final AtomicLongFieldUpdater<Turns> TURN = AtomicLongFieldUpdater.newUpdater(Turns.class, "turn");

    private final Supply supply;
    private final int inFlight;
    private final int window;

    /** Delivered by the run that is resumed: bit k for number k. */
    private final BigInteger before;

    /** Delivered: bit k for the k-th number from the turn on. */
    private BigInteger ahead;

    /** What lies before it was looked at since the last {@link #lookAgain}. */
    private long searched;

    private volatile int aheadCount;
    private volatile long turn;

    Turns(Supply supply, Execution execution) {
        this.supply = supply;
        this.inFlight = execution.inFlight();
        this.window = execution.window();
        this.before = supply.count() == 0 ? BigInteger.ZERO : supply.position(0).ahead();
        this.ahead = before;
        this.aheadCount = before.bitCount();
    }

    /** The number of draws from the turn on that need slots. */
    int slots() {
        return Math.max(Math.max(window, inFlight), before.bitLength());
    }

    /** The number that has the turn. */
    long now() {
        return turn;
    }

    /** The number of the first draw that must not be begun yet. */
    long limit() {
        long now = turn; // before the count, so that numbers stay within the slots
        return now + Math.min(slots(), inFlight + aheadCount);
    }

    /** Whether the run that is resumed delivered this number. */
    boolean wasDelivered(long number) {
        return number < before.bitLength() && before.testBit((int) number);
    }

    /** Loads may have ended since the last search. */
    void lookAgain() {
        searched = 0;
    }

    /** A number behind the turn that may be delivered and has its outcome; or -1. */
    long ready(Slots<Object> slots, long begun) {
        long now = turn;
        long end = Math.min(begun, now + window);
        for (long number = Math.max(searched, now + 1); number < end; number++) {
            Object outcome = ahead.testBit((int) (number - now)) ? null : Load.outcome(slots.get(number));
            if (outcome != null) {
                if (outcome instanceof Sample<?> sample
                        && sample.draw().epoch() != supply.position(now).epoch()) {
                    break;
                }
                searched = number + 1;
                return number;
            }
        }
        searched = end;
        return -1;
    }

    /** Marks a number as delivered; returns its sample with what its draw says of the rest of the run. */
    <T> Sample<T> deliver(long number, Sample<T> sample) {
        long now = turn;
        int others = aheadCount;
        if (number == now && others == 0) {
            TURN.lazySet(this, now + 1);
            return sample;
        }
        BigInteger delivered = ahead.setBit((int) (number - now));
        int passed = delivered.not().getLowestSetBit();
        ahead = delivered.shiftRight(passed);
        aheadCount = ahead.bitCount();
        TURN.lazySet(this, now + passed);
        Draw draw = sample.draw();
        long left = draw.left() + (number - now) - others;
        Draw placed =
                new Draw(draw.seed(), draw.epoch(), draw.index(), draw.turn(), next(draw, left, now + passed), left);
        return sample.isPresent() ? Sample.of(placed, sample.value()) : Sample.absent(placed);
    }

    private Position next(Draw draw, long left, long newTurn) {
        if (left == 0) {
            return new Position(draw.epoch() + 1, 0);
        }
        Position at = supply.position(newTurn);
        return new Position(at.epoch(), at.offset(), ahead);
    }
}
