package io.penstock.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.IntConsumer;

/**
 * Measurements of several contestants in turn, A B C A B C …, so that load on the machine affects all of them. Ratios
 * are formed within a round, and the median is taken over the rounds.
 */
public final class Rounds {

    private final double[][] measured; // [contestant][round]

    private Rounds(double[][] measured) {
        this.measured = measured;
    }

    /**
     * Runs each contestant once a round, and ignores the first {@code warmUp} rounds.
     * @param contestants each does its work and returns its figure
     */
    public static Rounds of(int warmUp, int rounds, IntConsumer progress, List<DoubleSupplier> contestants) {
        double[][] measured = new double[contestants.size()][rounds];
        for (int round = -warmUp; round < rounds; round++) {
            progress.accept(round);
            for (int i = 0; i < contestants.size(); i++) {
                double figure = contestants.get(i).getAsDouble();
                if (round >= 0) {
                    measured[i][round] = figure;
                }
            }
        }
        return new Rounds(measured);
    }

    public double median(int contestant) {
        return quantile(measured[contestant], 0.5);
    }

    /** The median over the rounds of one contestant's figure over another's. */
    public double medianRatio(int contestant, int to) {
        return ratio(contestant, to, 0.5);
    }

    public double ratio(int contestant, int to, double share) {
        return quantile(ratios(measured[contestant], measured[to]), share);
    }

    public static double[] ratios(double[] of, double[] to) {
        double[] ratios = new double[of.length];
        Arrays.setAll(ratios, round -> of[round] / to[round]);
        return ratios;
    }

    /** A quantile of values in any order, between the two nearest. */
    public static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double place = share * (sorted.length - 1);
        double below = sorted[(int) place];
        double above = sorted[(int) Math.ceil(place)];
        return below + (place - (int) place) * (above - below);
    }
}
