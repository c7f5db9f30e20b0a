package io.penstock.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.IntConsumer;

/**
 * Measurements taken in turn, A B C A B C …, so that a machine that is slow for a while is slow for all of them. Ratios
 * are formed within a round, and the median is taken over the rounds.
 */
public final class Rounds {

    private final double[][] measured; // [contestant][round]

    private Rounds(double[][] measured) {
        this.measured = measured;
    }

    /**
     * Runs each contestant once a round; the first {@code warmUp} rounds are thrown away.
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
        return quantile(measured[contestant].clone(), 0.5);
    }

    /** The median over the rounds of one contestant's figure over another's. */
    public double medianRatio(int contestant, int to) {
        return ratio(contestant, to, 0.5);
    }

    /** What so large a share of the rounds' ratios is below. */
    public double ratio(int contestant, int to, double share) {
        double[] ratios = new double[measured[contestant].length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = measured[contestant][i] / measured[to][i];
        }
        return quantile(ratios, share);
    }

    private static double quantile(double[] values, double share) {
        Arrays.sort(values);
        double place = share * (values.length - 1);
        double below = values[(int) place];
        double above = values[(int) Math.ceil(place)];
        return below + (place - (int) place) * (above - below);
    }
}
