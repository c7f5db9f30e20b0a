package io.penstock.stream.internal;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/** Draws within a window are delivered as their loads end; a position says which ones were ahead of their turn. */
final class Windowed implements Turns {

    private static final AtomicLongFieldUpdater<Windowed> TURN =
            AtomicLongFieldUpdater.newUpdater(Windowed.class, "turn");

    private final Supply supply;
    private final LoadWindow loads;
    private final int window;

    /** Delivered by the run that is resumed: bit k for number k. */
    private final BigInteger before;

    /** Delivered: bit k for the k-th number from the turn on. */
    private BigInteger ahead;

    /** What lies before it was looked at since the last {@link #lookAgain}. */
    private long searched;

    private volatile int aheadCount;
    private volatile long turn;

    Windowed(Supply supply, LoadWindow loads, Execution execution, BigInteger before) {
        this.supply = supply;
        this.loads = loads;
        this.window = execution.window();
        this.before = before;
        this.ahead = before;
        this.aheadCount = before.bitCount();
    }

    @Override
    public int slots() {
        return Math.max(Math.max(window, loads.capacity()), before.bitLength());
    }

    @Override
    public long now() {
        return turn;
    }

    @Override
    public long limit() {
        long now = turn; // before the count, so that numbers stay within the slots
        return now + Math.min(slots(), loads.size() + aheadCount);
    }

    @Override
    public boolean skips(long number) {
        return number < before.bitLength() && before.testBit((int) number);
    }

    @Override
    public boolean goesAhead() {
        return window > 1;
    }

    @Override
    public void lookAgain() {
        searched = 0;
    }

    @Override
    public long ready(Slots<Object> slots, long begun) {
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

    @Override
    public <T> Sample<T> deliver(long number, Sample<T> sample) {
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
