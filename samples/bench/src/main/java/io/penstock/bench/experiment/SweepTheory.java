package io.penstock.bench.experiment;

import io.penstock.bench.Chart;
import io.penstock.bench.Measured;
import io.penstock.bench.Rounds;

/**
 * The time of an epoch with a partly filled cache by theory: max(g, (1 - c) m), with g the measured time of a fully
 * cached epoch, m that without a cache, and c the share that was held.
 *
 * @param measured seconds of the shares, 0 and 100 among them, and what the cache {@link #held}
 * @param series   to compare
 */
record SweepTheory(Measured measured, String series) {

    private static final double NONE = 0;
    private static final double ALL = 100;

    static String held(String series) {
        return series + " held";
    }

    double time(double share) {
        double uncached = measured.median(series, NONE);
        return Math.max(measured.median(series, ALL), (1 - heldAt(share)) * uncached);
    }

    /** What was measured; ratios are formed within a round. */
    double gain(double share) {
        return Rounds.quantile(ratios(share), 0.5);
    }

    private double[] ratios(double share) {
        return Rounds.ratios(measured.values(series, NONE), measured.values(series, share));
    }

    Chart.Line gains() {
        return new Chart.Line(
                series,
                Chart.Kind.MEASURED,
                measured.places(series).stream()
                        .map(share -> Chart.Dot.of(share, ratios(share)))
                        .toList());
    }

    /** The max difference in percent between the measured speed-up and the theory. */
    double maxError() {
        return measured.places(series).stream()
                .mapToDouble(share -> 100 * Math.abs(gain(share) * time(share) / time(NONE) - 1))
                .max()
                .orElse(0);
    }

    /** Measured, or between the measured shares on either side. */
    private double heldAt(double share) {
        double below = NONE;
        double above = ALL;
        for (double each : measured.places(series)) {
            below = each <= share ? Math.max(below, each) : below;
            above = each >= share ? Math.min(above, each) : above;
        }
        double less = measured.median(held(series), below);
        return below == above
                ? less
                : less + (measured.median(held(series), above) - less) * (share - below) / (above - below);
    }
}
