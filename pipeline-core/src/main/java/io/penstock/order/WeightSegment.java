package io.penstock.order;

import java.math.BigInteger;
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
        return IntStream.of(inPeriod()).sum();
    }

    /** How often each source is drawn in a period. */
    int[] inPeriod() {
        int divisor = IntStream.of(weights)
                .mapToObj(BigInteger::valueOf)
                .reduce(BigInteger.ZERO, BigInteger::gcd)
                .intValue();
        return IntStream.of(weights).map(weight -> weight / divisor).toArray();
    }

    /** {@code 50000=1:1}. */
    @Override
    public String toString() {
        return IntStream.of(inPeriod()).mapToObj(Integer::toString).collect(Collectors.joining(":", from + "=", ""));
    }
}
