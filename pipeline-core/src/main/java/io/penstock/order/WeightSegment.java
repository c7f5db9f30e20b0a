package io.penstock.order;

import java.math.BigInteger;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Draws of a {@link WeightList} during which weights stay or go in one line. Sums of weights are multiples of 1 / unit
 * of a draw.
 *
 * @param from    the draw with which it begins
 * @param length  in draws; the last one ends behind {@link WeightList#FAR}, which no run reaches
 * @param scale   by how much the unit is finer than {@link WeightList#UNIT}: the length of a line, else 1
 * @param weights at its begin, in multiples of 1 / {@link WeightList#WHOLE}
 * @param rises   of the weights until its end
 * @param sums    of all weights before it, in multiples of 1 / {@link WeightList#UNIT}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record WeightSegment(long from, long length, long scale, int[] weights, int[] rises, long[] sums) {

    long unit() {
        return WeightList.UNIT * scale;
    }

    /** By how much some draws from a place on make a source's sum grow. */
    long gain(int source, long place, long draws) {
        return (2 * scale * weights[source] + rises[source] * (2 * place + draws)) * draws;
    }

    /** How many draws from a place on make a source's sum grow by what is missing / times at least; -1 if the rest does not. */
    long draws(int source, long place, long missing, long times) {
        if (missing <= 0) {
            return 0;
        }
        long wanted = -Math.floorDiv(-missing, times);
        long found = first(0, length - place, draws -> gain(source, place, draws) >= wanted);
        return gain(source, place, found) < wanted ? -1 : found;
    }

    /**
     * The first number in (low, end] for which something holds that holds for all later ones; the end if it does for none.
     * It asks for few numbers far behind the first one, since a sum of many more draws has no 64 bits.
     */
    static long first(long low, long end, LongPredicate holds) {
        long from = low;
        long to = Math.min(end, low + 1);
        for (long more = 1; to < end && !holds.test(to); more *= 2) {
            from = to;
            to = Math.min(end, to + more);
        }
        while (to - from > 1) {
            long middle = (from + to) >>> 1;
            if (holds.test(middle)) {
                to = middle;
            } else {
                from = middle;
            }
        }
        return to;
    }

    /** The sum of a source's weights before a place, over all segments. */
    BigInteger sum(int source, long place) {
        BigInteger draws = BigInteger.valueOf(place);
        BigInteger scaled = BigInteger.valueOf(scale);
        return BigInteger.valueOf(sums[source])
                .add(BigInteger.valueOf(2L * weights[source]).multiply(draws))
                .multiply(scaled)
                .add(draws.multiply(draws).multiply(BigInteger.valueOf(rises[source])));
    }

    /** A draw's share of a source, in multiples of 1 / {@link WeightList#WHOLE}. */
    double share(int source, long draw) {
        return weights[source] + rises[source] * (draw - from + 0.5) / scale;
    }

    /** After how many draws the counts are whole again; only where the weights stay. */
    int period() {
        return WeightList.WHOLE / divisor();
    }

    /** How often a source is drawn in a period. */
    int inPeriod(int source) {
        return weights[source] / divisor();
    }

    private int divisor() {
        return IntStream.of(weights)
                .mapToObj(BigInteger::valueOf)
                .reduce(BigInteger.ZERO, BigInteger::gcd)
                .intValue();
    }

    /** {@code 50000=1:1}. */
    @Override
    public String toString() {
        return IntStream.range(0, weights.length)
                .mapToObj(source -> Integer.toString(inPeriod(source)))
                .collect(Collectors.joining(":", from + "=", ""));
    }
}
