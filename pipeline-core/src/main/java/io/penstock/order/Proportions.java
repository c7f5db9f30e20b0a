package io.penstock.order;

import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * How often each of several sources is drawn, where their samples lie one source after another in one dataset.
 * {@link Sampler#mixed} draws by it. Immutable.
 */
public final class Proportions {

    private static final int MAX_SOURCES = 255;
    private static final long MAX_DRAWS = 1L << 61;

    private final long[] sizes;

    /** The weights, by the draws from which on they hold. */
    private final SortedMap<Long, double[]> weights;

    private final boolean lines;

    /** What ends an epoch; null where it has a number of draws. */
    private final @Nullable Exhausted end;

    private final long draws;

    private Proportions(
            long[] sizes, SortedMap<Long, double[]> weights, boolean lines, @Nullable Exhausted end, long draws) {
        this.sizes = sizes;
        this.weights = weights;
        this.lines = lines;
        this.end = end;
        this.draws = draws;
    }

    /**
     * One source of {@code size} samples. Weights are relative to one another.
     * @throws IllegalArgumentException if the source is empty, or the weight is not a finite number above 0
     */
    public static Proportions of(long size, double weight) {
        SortedMap<Long, double[]> none = new TreeMap<>(Map.of(0L, new double[0]));
        return new Proportions(new long[0], none, false, Exhausted.FIRST, 0).and(size, weight);
    }

    /**
     * One source more, behind the others.
     * @throws IllegalArgumentException as {@link #of}, or if there are 255 sources already, or weights that change
     */
    public Proportions and(long size, double weight) {
        int number = sizes.length;
        if (weights.size() > 1) {
            throw new IllegalArgumentException("say all sources of a mixture before the draws at which weights change");
        }
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
        double[] moreWeights = Arrays.copyOf(first(), number + 1);
        moreWeights[number] = weight;
        return new Proportions(moreSizes, new TreeMap<>(Map.of(0L, moreWeights)), lines, end, draws);
    }

    /**
     * Other weights from a draw on, counted from 0 over all ranks and epochs; those from draw 0 on replace the first
     * ones. Any number of draws then has less than one draw more or less of each source than the sum of its weights.
     * Shares are rounded to whole 13,860,000ths, and sums are exact. A weight may be 0.
     * @throws IllegalArgumentException if there is not one weight for each source, one is negative or not finite, all
     *     are 0, there is one source, or the draw is negative
     */
    public Proportions weightsAt(long draw, double... others) {
        if (others.length != sizes.length || sizes.length < 2) {
            throw new IllegalArgumentException("weights at draw %d must be of each of two or more sources: %d for %d"
                    .formatted(draw, others.length, sizes.length));
        }
        double sum = DoubleStream.of(others).sum();
        if (!DoubleStream.of(others).allMatch(weight -> weight >= 0) || !(sum > 0 && sum < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "weights at draw %d must be 0 or more, with a finite sum above 0, were %s"
                            .formatted(draw, Arrays.toString(others)));
        }
        if (draw < 0) {
            throw new IllegalArgumentException("weights must be from draw 0 or a later one on, was " + draw);
        }
        SortedMap<Long, double[]> more = new TreeMap<>(weights);
        more.put(draw, others.clone());
        return new Proportions(sizes, more, lines, end, draws);
    }

    /** Lets weights go in a line from one {@link #weightsAt draw} to the next; otherwise they stay until the next. */
    public Proportions lines() {
        return new Proportions(sizes, weights, true, end, draws);
    }

    /** Lets an epoch end when the first or the last source is exhausted: {@link Exhausted#FIRST} unless set. */
    public Proportions until(Exhausted which) {
        return new Proportions(sizes, weights, lines, which, 0);
    }

    /**
     * Lets an epoch have this number of draws, over all ranks.
     * @throws IllegalArgumentException if negative or more than 2^61
     */
    public Proportions draws(long anEpoch) {
        return new Proportions(sizes, weights, lines, null, requireDraws(anEpoch));
    }

    static long requireDraws(long draws) {
        if (draws < 0 || draws > MAX_DRAWS) {
            throw new IllegalArgumentException(
                    "draws of an epoch must be in [0, %d], was %d".formatted(MAX_DRAWS, draws));
        }
        return draws;
    }

    private double[] first() {
        return weights.values().iterator().next();
    }

    long[] sizes() {
        return sizes.clone();
    }

    SourceSchedule schedule() {
        if (weights.size() == 1 && DoubleStream.of(first()).allMatch(weight -> weight > 0)) {
            return PeriodicSchedule.of(first());
        }
        long[] from = weights.keySet().stream().mapToLong(draw -> draw).toArray();
        WeightList list = WeightList.of(from, weights.values().toArray(double[][]::new), lines);
        return new ListedSchedule(list, new long[sizes.length]);
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
                    : Math.max(found, 1 + requireFound(source, schedule.find(source, sizes[source] - 1)));
        }
        return requireDraws(found);
    }

    private static long requireFound(int source, long draw) {
        if (draw == Long.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "source %d is never exhausted by these weights; give an epoch a number of draws".formatted(source));
        }
        return draw;
    }

    /** What ends an epoch, in words; a number of draws is not among them. */
    String end() {
        return end == null
                ? "a number of draws"
                : end == Exhausted.FIRST ? "the first is exhausted" : "all are exhausted";
    }
}
