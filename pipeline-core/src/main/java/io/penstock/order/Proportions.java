package io.penstock.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How often each of several sources is drawn, where their samples lie one source after another in one dataset.
 * {@link Sampler#mixed} draws by it. Immutable.
 */
public final class Proportions {

    private static final int MAX_SOURCES = 255;
    private static final long MAX_DRAWS = 1L << 61;

    private final long[] sizes;
    private final double[] weights;

    /** What ends an epoch; null where it has a number of draws. */
    private final @Nullable Exhausted end;

    private final long draws;

    private Proportions(long[] sizes, double[] weights, @Nullable Exhausted end, long draws) {
        this.sizes = sizes;
        this.weights = weights;
        this.end = end;
        this.draws = draws;
    }

    /**
     * One source of {@code size} samples. Weights are relative to one another.
     * @throws IllegalArgumentException if the source is empty, or the weight is not a finite number above 0
     */
    public static Proportions of(long size, double weight) {
        return new Proportions(new long[0], new double[0], Exhausted.FIRST, 0).and(size, weight);
    }

    /**
     * One source more, behind the others.
     * @throws IllegalArgumentException as {@link #of}, or if there are 255 sources already
     */
    public Proportions and(long size, double weight) {
        int number = sizes.length;
        if (number == MAX_SOURCES) {
            throw new IllegalArgumentException(
                    "a mixture has %d sources at most; concatenate some of them".formatted(MAX_SOURCES));
        }
        if (size < 1) {
            throw new IllegalArgumentException(
                    "source %d of a mixture must have samples, has %d".formatted(number, size));
        }
        if (!(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "weight of source %d must be finite and more than 0, was %s".formatted(number, weight));
        }
        long[] moreSizes = Arrays.copyOf(sizes, number + 1);
        moreSizes[number] = size;
        double[] moreWeights = Arrays.copyOf(weights, number + 1);
        moreWeights[number] = weight;
        return new Proportions(moreSizes, moreWeights, end, draws);
    }

    /** Lets an epoch end when the first or the last source is exhausted: {@link Exhausted#FIRST} unless set. */
    public Proportions until(Exhausted which) {
        return new Proportions(sizes, weights, which, 0);
    }

    /**
     * Lets an epoch have this number of draws, over all ranks.
     * @throws IllegalArgumentException if negative or more than 2^61
     */
    public Proportions draws(long anEpoch) {
        return new Proportions(sizes, weights, null, requireDraws(anEpoch));
    }

    static long requireDraws(long draws) {
        if (draws < 0 || draws > MAX_DRAWS) {
            throw new IllegalArgumentException(
                    "draws of an epoch must be in [0, %d], was %d".formatted(MAX_DRAWS, draws));
        }
        return draws;
    }

    int sources() {
        return sizes.length;
    }

    long size(int source) {
        return sizes[source];
    }

    double[] weights() {
        return weights.clone();
    }

    /** Whether an epoch has a number of draws, for any weights. */
    boolean endsByDraws() {
        return end == null;
    }

    long draws(SourceSchedule schedule) {
        if (end == null) {
            return draws;
        }
        long found = end == Exhausted.FIRST ? Long.MAX_VALUE : 0;
        for (int source = 0; source < sizes.length; source++) {
            found = end == Exhausted.FIRST
                    ? Math.min(found, schedule.find(source, sizes[source]))
                    : Math.max(found, schedule.find(source, sizes[source] - 1) + 1);
        }
        return requireDraws(found);
    }

    /** What ends an epoch, in words; a number of draws is not among them. */
    String end() {
        return end == null
                ? "a number of draws"
                : end == Exhausted.FIRST ? "the first is exhausted" : "all are exhausted";
    }
}
