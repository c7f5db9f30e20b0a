package io.penstock.order;

import java.math.BigDecimal;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A schedule of weights that stay: a period of draws, again and again.
 *
 * <p>Weights become whole numbers whose sum D is the length of a period: the smallest sum up to 10,000 that gives each
 * source its share within 10^-9, else 2^24. One period is scheduled by Tijdeman's algorithm for the chairman assignment
 * problem [1]. After t draws a source of weight c was drawn floor(t c / D) times, or once more. So a bit a draw says the
 * count, and a byte the source. {@code docs/order.md} specifies both.
 *
 * <p><b>Memory</b>: 9 bits a draw of a period, 18 MiB at most. Making one takes D times the number of sources steps:
 * where weights are no small fractions 0.1 s for two sources, 0.2 s for four and 6 s for 255.
 *
 * <ol>
 *   <li>Tijdeman: The chairman assignment problem, Discrete Mathematics 32 (1980)
 * </ol>
 */
final class PeriodicSchedule implements SourceSchedule {

    private static final int MAX_SHORT = 10_000;
    private static final double ACCURACY = 1e-9;
    static final int LONG = 1 << 24;

    private final int[] weights;
    final int period;
    private final byte[] sources;

    /** Whether a draw's source was drawn once more before than the weights say, rounded down. */
    private final long[] more;

    /** The schedule of weights in whole numbers, of a sum up to 2^24. */
    PeriodicSchedule(int... weights) {
        this.weights = weights.clone();
        this.period = IntStream.of(weights).sum();
        this.sources = new byte[period];
        this.more = new long[(period + 63) / 64];
        assign();
    }

    /**
     * The schedule of relative weights.
     * @throws IllegalArgumentException if one is less than a 2^24th of their sum, or the sum is not finite
     */
    static PeriodicSchedule of(double... weights) {
        if (DoubleStream.of(weights).sum() == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException("the weights of a mixture must have a finite sum; divide all of them");
        }
        BigDecimal sum = DoubleStream.of(weights) // as people add them: 0.1 and 0.2 are 0.3
                .mapToObj(BigDecimal::valueOf)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        double[] shares = WeightList.shares(weights);
        for (int source = 0; source < weights.length; source++) {
            if (shares[source] * LONG < 1) {
                throw new IllegalArgumentException("weight of source %d must be at least 1 of %d of the sum %s, was %s"
                        .formatted(source, LONG, sum.stripTrailingZeros(), weights[source]));
            }
        }
        return new PeriodicSchedule(whole(shares));
    }

    private static int[] whole(double[] shares) {
        int[] counts = new int[shares.length];
        for (int sum = shares.length; sum <= MAX_SHORT; sum++) {
            if (represents(shares, sum, counts)) {
                return counts;
            }
        }
        return WeightList.rounded(shares, LONG);
    }

    private static boolean represents(double[] shares, int sum, int[] counts) {
        int counted = 0;
        for (int source = 0; source < shares.length; source++) {
            int count = (int) Math.rint(shares[source] * sum);
            if (count < 1 || Math.abs((double) count / sum - shares[source]) > ACCURACY) {
                return false;
            }
            counts[source] = count;
            counted += count;
        }
        return counted == sum;
    }

    /**
     * With k sources, all of period D, the draw t of [1, D] is of that source among those that are behind by
     * 1 / (2k - 2) at least which is the first to be behind by 1 - 1 / (2k - 2), unless it is drawn. All is multiplied
     * by (2k - 2) D.
     */
    private void assign() {
        int count = weights.length;
        if (count == 1) {
            return; // counts before a draw are exact
        }
        long unit = 2L * count - 2;
        long limit = (unit - 1) * period;
        long[] behind = new long[count];
        int[] drawn = new int[count];
        for (int draw = 0; draw < period; draw++) {
            int next = -1;
            for (int source = 0; source < count; source++) {
                behind[source] += unit * weights[source];
                if (behind[source] >= period
                        && (next < 0
                                || (limit - behind[source]) * weights[next]
                                        < (limit - behind[next]) * weights[source])) {
                    next = source;
                }
            }
            sources[draw] = (byte) next;
            more[draw >>> 6] |= (drawn[next] - (long) draw * weights[next] / period) << draw;
            drawn[next]++;
            behind[next] -= unit * period;
        }
    }

    @Override
    public int source(long draw) {
        return sourceAt((int) (draw % period));
    }

    private int sourceAt(int place) {
        return sources[place] & 0xFF;
    }

    @Override
    public long before(long draw, int source) {
        long periods = draw / period;
        return periods * weights[source] + beforeAt((int) (draw - periods * period), source);
    }

    private long beforeAt(int place, int source) {
        return (long) place * weights[source] / period + (more[place >>> 6] >>> place & 1);
    }

    @Override
    public long count(int source, long draws) {
        long whole = draws / period * weights[source];
        for (int draw = (int) (draws % period); draw < period; draw++) {
            if (sourceAt(draw) == source) {
                return whole + beforeAt(draw, source);
            }
        }
        return whole + weights[source];
    }

    @Override
    public long find(int source, long nth) {
        long whole = nth / weights[source];
        long within = nth % weights[source];
        if (whole > Long.MAX_VALUE / period - 1) {
            return Long.MAX_VALUE;
        }
        int draw = (int) Math.max(0, (within - 1) * period / weights[source]);
        while (sourceAt(draw) != source || beforeAt(draw, source) != within) {
            draw++;
        }
        return whole * period + draw;
    }

    @Override
    public WeightList weights() {
        return WeightList.of(
                new long[1],
                new double[][] {IntStream.of(weights).asDoubleStream().toArray()},
                false);
    }

    /** The weights in whole numbers: {@code 7:3}. */
    @Override
    public String toString() {
        return IntStream.of(weights).mapToObj(Integer::toString).collect(Collectors.joining(":"));
    }
}
