package io.penstock.order;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Which source of a mixture each draw is of: any number of draws from the start on has less than one draw more or less
 * of each source than the weights say.
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
final class SourceSchedule {

    private static final int MAX_SHORT = 10_000;
    private static final double ACCURACY = 1e-9;
    static final int LONG = 1 << 24;

    private final int[] weights;
    private final int period;
    private final byte[] sources;

    /** Whether a draw's source was drawn once more before than the weights say, rounded down. */
    private final long[] more;

    private SourceSchedule(int[] weights) {
        this.weights = weights;
        this.period = IntStream.of(weights).sum();
        this.sources = new byte[period];
        this.more = new long[(period + 63) / 64];
    }

    /**
     * The schedule of relative weights.
     * @throws IllegalArgumentException if one is less than a 2^24th of their sum, or the sum is not finite
     */
    static SourceSchedule of(double... weights) {
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        if (sum == Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException("the weights of a mixture must have a finite sum; divide all of them");
        }
        double[] shares = new double[weights.length];
        for (int source = 0; source < weights.length; source++) {
            shares[source] = weights[source] / sum;
            if (shares[source] * LONG < 1) {
                throw new IllegalArgumentException("weight of source %d must be at least 1 of %d of the sum %s, was %s"
                        .formatted(source, LONG, decimalSum(weights), weights[source]));
            }
        }
        return ofWhole(whole(shares));
    }

    /** As people add them: 0.1 and 0.2 are 0.3. */
    private static BigDecimal decimalSum(double... weights) {
        return DoubleStream.of(weights)
                .mapToObj(BigDecimal::valueOf)
                .reduce(BigDecimal.ZERO, BigDecimal::add)
                .stripTrailingZeros();
    }

    /** The schedule of weights in whole numbers, of a sum up to 2^24. */
    static SourceSchedule ofWhole(int... weights) {
        SourceSchedule schedule = new SourceSchedule(weights.clone());
        schedule.assign();
        return schedule;
    }

    private static int[] whole(double[] shares) {
        int[] counts = new int[shares.length];
        for (int sum = shares.length; sum <= MAX_SHORT; sum++) {
            if (represents(shares, sum, counts)) {
                return counts;
            }
        }
        int left = LONG;
        for (int source = 0; source < shares.length; source++) {
            counts[source] = (int) (shares[source] * LONG);
            left -= counts[source];
        }
        // the largest remainders get one more; of equal ones the first
        IntStream.range(0, shares.length)
                .boxed()
                .sorted((a, b) -> Double.compare(remainder(shares[b], counts[b]), remainder(shares[a], counts[a])))
                .limit(left)
                .forEach(source -> counts[source]++);
        return counts;
    }

    private static double remainder(double share, int count) {
        return share * LONG - count;
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

    int sources() {
        return weights.length;
    }

    int period() {
        return period;
    }

    /** Its weight: how often it is drawn in a period. */
    int weight(int source) {
        return weights[source];
    }

    /** The source of a draw of the period. */
    int source(int draw) {
        return sources[draw] & 0xFF;
    }

    /** How often a draw's source was drawn before in the period. */
    long before(int draw, int source) {
        return (long) draw * weights[source] / period + (more[draw >>> 6] >>> draw & 1);
    }

    /** How often a source is drawn in the first {@code draws} draws. */
    long count(int source, long draws) {
        long whole = draws / period * weights[source];
        for (int draw = (int) (draws % period); draw < period; draw++) {
            if (source(draw) == source) {
                return whole + before(draw, source);
            }
        }
        return whole + weights[source];
    }

    /** The number of the draw that is a source's {@code nth}, both counted from 0; {@link Long#MAX_VALUE} if more. */
    long find(int source, long nth) {
        long whole = nth / weights[source];
        long within = nth % weights[source];
        if (whole > Long.MAX_VALUE / period - 1) {
            return Long.MAX_VALUE;
        }
        int draw = (int) Math.max(0, (within - 1) * period / weights[source]);
        while (source(draw) != source || before(draw, source) != within) {
            draw++;
        }
        return whole * period + draw;
    }

    boolean hasWeights(int[] others) {
        return Arrays.equals(weights, others);
    }

    /** The weights in whole numbers: {@code 7:3}. */
    @Override
    public String toString() {
        return IntStream.of(weights).mapToObj(Integer::toString).collect(Collectors.joining(":"));
    }
}
