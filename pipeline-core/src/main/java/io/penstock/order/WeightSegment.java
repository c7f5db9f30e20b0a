package io.penstock.order;

import java.math.BigInteger;

/**
 * Draws of a {@link WeightList} during which weights stay or go in one line. Sums of weights are multiples of 1 / unit
 * of a draw.
 *
 * @param from    the draw with which it begins
 * @param length  in draws; {@link Long#MAX_VALUE} of the last one
 * @param scale   by how much the unit is finer than {@link WeightList#UNIT}: the length of a line, else 1
 * @param weights at its begin, in multiples of 1 / {@link WeightList#WHOLE}
 * @param rises   of the weights until its end
 * @param sums    of all weights before it, in multiples of 1 / {@link WeightList#UNIT}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record WeightSegment(long from, long length, long scale, int[] weights, int[] rises, long[] sums) {

    /** Further off than this from the end of the segment, sums in doubles say whether it is reached. */
    private static final double NEAR = 0.001;

    boolean isSloped() {
        return scale > 1;
    }

    long unit() {
        return WeightList.UNIT * scale;
    }

    /** By how much some draws from a place on make a source's sum grow. */
    long gain(int source, long place, long draws) {
        return (2 * scale * weights[source] + rises[source] * (2 * place + draws)) * draws;
    }

    /** How many draws from a place on make a source's sum grow by what is missing / times at least; -1 if the rest does not. */
    long draws(int source, long place, long missing, long times) {
        return missing <= 0 ? 0 : draws(source, place, -Math.floorDiv(-missing, times));
    }

    /** How many draws from a place on make a source's sum grow by so much at least; -1 if the rest does not. */
    private long draws(int source, long place, long wanted) {
        long left = length - place;
        double rise = rises[source];
        double first = 2.0 * scale * weights[source] + 2 * rise * place;
        double all = left * (first + rise * left);
        if (all < wanted * (1 - NEAR)) {
            return -1;
        }
        if (all < wanted * (1 + NEAR)) {
            return gain(source, place, left) < wanted ? -1 : search(source, place, wanted, left);
        }
        double root = rise == 0 ? wanted / first : 2 * wanted / (first + Math.sqrt(first * first + 4 * rise * wanted));
        long draws = Math.max(1, (long) root);
        while (gain(source, place, draws) < wanted) {
            draws++;
        }
        while (draws > 1 && gain(source, place, draws - 1) >= wanted) {
            draws--;
        }
        return draws;
    }

    /** Where a line ends at 0 the root is nearly double, and no formula finds it. */
    private long search(int source, long place, long wanted, long enough) {
        long low = 0;
        long high = enough;
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (gain(source, place, middle) < wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
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
        BigInteger divisor = BigInteger.ZERO;
        for (int weight : weights) {
            divisor = divisor.gcd(BigInteger.valueOf(weight));
        }
        return divisor.intValue();
    }

    /** {@code 50000=1:1}. */
    @Override
    public String toString() {
        StringBuilder words = new StringBuilder().append(from);
        for (int source = 0; source < weights.length; source++) {
            words.append(source == 0 ? '=' : ':').append(inPeriod(source));
        }
        return words.toString();
    }
}
