package io.penstock.batch;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * Which draws each of a rank's batches is made of, by arithmetic: what {@link Batches} of the same n and remainder cut,
 * without loading anything. The k-th batch since the start of a run is step k.
 * <pre>{@code
 *  BatchPlan.of(sampler.shard(rank).draws(pipeline.size()), 256, Remainder.DROP).draws(step)
 * }</pre>
 * <p>Not for batches by length, which depend on the samples. Thread-safe.
 */
public final class BatchPlan {

    private final Draws draws;
    private final int n;
    private final long firstEpoch;
    private final long drawsInFirst;
    private final long drawsInLater;
    private final long inFirst;
    private final long inLater;
    private final long count;

    private BatchPlan(Draws draws, int n, Remainder remainder) {
        this.draws = draws;
        this.n = n;
        boolean any = draws.count() > 0;
        this.firstEpoch = any ? draws.at(0).epoch() : 0;
        this.drawsInFirst = any ? draws.count(firstEpoch) : 0;
        this.drawsInLater = any ? draws.count(firstEpoch + 1) : 0;
        this.inFirst = batches(drawsInFirst, n, remainder);
        this.inLater = batches(drawsInLater, n, remainder);
        long later = any ? draws.at(draws.count() - 1).epoch() - firstEpoch : 0;
        this.count = inFirst + later * inLater;
    }

    /**
     * The batches of {@code n} draws.
     * @throws IllegalArgumentException if {@code n} is no batch size (see {@link Batches#of}), or the draws begin where
     *     an unordered run stopped within an epoch
     */
    public static BatchPlan of(Draws draws, int n, Remainder remainder) {
        Collation.checkSize(n);
        if (draws.count() > 0 && draws.position(0).ahead().signum() != 0) {
            throw new IllegalArgumentException(
                    "batches can be computed from a position in order only, was %s".formatted(draws.position(0)));
        }
        return new BatchPlan(draws, n, remainder);
    }

    private static long batches(long draws, int n, Remainder remainder) {
        return remainder == Remainder.DROP ? draws / n : draws / n + (draws % n == 0 ? 0 : 1);
    }

    /** The number of batches in all. */
    public long count() {
        return count;
    }

    /** How many batches belong to one epoch, from the start on. */
    public long count(long epoch) {
        return epoch < firstEpoch ? 0 : epoch == firstEpoch ? inFirst : inLater;
    }

    /**
     * The draws of one batch, those without a sample among them.
     * @throws IndexOutOfBoundsException if step is not in {@code [0, count())}
     */
    public List<Draw> draws(long step) {
        long from = firstDraw(step);
        long end = step < inFirst ? drawsInFirst : drawsInFirst + (1 + (step - inFirst) / inLater) * drawsInLater;
        return LongStream.range(from, Math.min(from + n, end))
                .mapToObj(draws::at)
                .toList();
    }

    /**
     * Where a run begins whose first batch is this one.
     * @throws IndexOutOfBoundsException if step is not in {@code [0, count())}
     */
    public Position position(long step) {
        long from = firstDraw(step);
        if (from == 0) {
            return draws.start();
        }
        boolean beginsEpoch = step >= inFirst && (step - inFirst) % inLater == 0;
        return beginsEpoch
                ? new Position(draws.at(from).epoch(), 0)
                : draws.at(from - 1).next();
    }

    private long firstDraw(long step) {
        Objects.checkIndex(step, count);
        return step < inFirst
                ? step * n
                : drawsInFirst + (step - inFirst) / inLater * drawsInLater + (step - inFirst) % inLater * n;
    }
}
