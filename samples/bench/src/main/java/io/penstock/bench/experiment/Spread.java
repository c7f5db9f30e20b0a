package io.penstock.bench.experiment;

import java.util.Arrays;

/**
 * Repetitions of one measurement.
 *
 * @param median of them
 * @param least  of them
 * @param most   of them
 * @param count  how many there were
 */
public record Spread(double median, double least, double most, int count) {

    /** The median of the rounds' ratios. */
    public static double ratio(double[] of, double[] to) {
        double[] ratios = new double[of.length];
        for (int round = 0; round < ratios.length; round++) {
            ratios[round] = of[round] / to[round];
        }
        return of(ratios).median();
    }

    public static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("nothing was measured");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }
}
