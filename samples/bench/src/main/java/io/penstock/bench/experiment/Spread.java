package io.penstock.bench.experiment;

import io.penstock.bench.Rounds;
import java.util.Arrays;

/**
 * Repetitions of one measurement.
 *
 * @param median of them
 * @param min    of them
 * @param max    of them
 * @param count  of the repetitions
 */
public record Spread(double median, double min, double max, int count) {

    public static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("nothing was measured");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Spread(Rounds.quantile(sorted, 0.5), sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** The median of the rounds' ratios. */
    public static double ratio(double[] of, double[] to) {
        return Rounds.quantile(Rounds.ratios(of, to), 0.5);
    }
}
