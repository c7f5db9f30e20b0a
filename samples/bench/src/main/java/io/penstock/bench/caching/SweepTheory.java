package io.penstock.bench.caching;

import io.penstock.bench.Rounds;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.Spread;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * The time of an epoch with a partly filled cache by theory: max(g, (1 - c) m), with g and m measured.
 *
 * @param measurements all that was measured, of the shares 0 and 100 as well
 * @param series  to compare
 * @param seconds the figure of the times
 * @param held    the figure of the share that the cache held
 */
record SweepTheory(Measurements measurements, String series, String seconds, String held) {

    private static final double NONE = 0;
    private static final double ALL = 100;

    List<Chart.Dot> times() {
        return curve().mapToObj(x -> Chart.Dot.of(x, time(x))).toList();
    }

    List<Chart.Dot> gains() {
        return curve().mapToObj(x -> Chart.Dot.of(x, uncached() / time(x))).toList();
    }

    private static DoubleStream curve() {
        return IntStream.rangeClosed((int) NONE, (int) ALL).asDoubleStream();
    }

    /** Ratios are formed within a round. */
    List<Chart.Dot> measuredGains() {
        return shares().stream().map(x -> new Chart.Dot(x, gain(x))).toList();
    }

    double maxGain() {
        return gain(ALL).median();
    }

    /** The max difference in percent between the measured speed-up and the theory. */
    double maxError() {
        return shares().stream()
                .mapToDouble(x -> 100 * Math.abs(gain(x).median() * time(x) / uncached() - 1))
                .max()
                .orElse(0);
    }

    private Spread gain(double share) {
        double[] without = measurements.values(seconds, series, NONE);
        double[] with = measurements.values(seconds, series, share);
        return Spread.of(Rounds.ratios(without, with));
    }

    private double time(double share) {
        double missed = 1 - held(share);
        return Math.max(measurements.median(seconds, series, ALL), missed * uncached());
    }

    /** Measured, or between the measured shares on either side. */
    private double held(double share) {
        double below = NONE;
        double above = ALL;
        for (double each : shares()) {
            below = each <= share ? Math.max(below, each) : below;
            above = each >= share ? Math.min(above, each) : above;
        }
        double less = measurements.median(held, series, below);
        return below == above
                ? less
                : less + (measurements.median(held, series, above) - less) * (share - below) / (above - below);
    }

    private double uncached() {
        return measurements.median(seconds, series, NONE);
    }

    private List<Double> shares() {
        return measurements.places(seconds, series);
    }
}
