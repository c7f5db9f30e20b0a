package io.penstock.bench.suite;

import io.penstock.bench.Bench;
import io.penstock.bench.Rounds;
import io.penstock.bench.Seconds;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pack.PackPlan;
import io.penstock.pack.Packing;
import io.penstock.pack.TooLong;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * How full packed rows are, against Grain's best fit on the same lengths in the same order, and how long planning
 * takes. Lengths are made up: log-normal, as those of GSM8K's lines and of long articles.
 */
public final class PackedRows {

    private static final int ROW = 2_048;
    private static final int BINS = 1_024;
    private static final double MIN_FILL = 98;
    private static final double MAX_NANOS = 1_000;
    private static final long SEED = 42;

    private PackedRows() {}

    public static void run(Bench bench) {
        measure(bench, "short texts", 5.07, 0.33);
        measure(bench, "long texts", 6.8, 1.1);
    }

    private static void measure(Bench bench, String name, double mean, double deviation) {
        Random random = new Random(1);
        int[] lengths = IntStream.range(0, bench.choose(1_000_000, 100_000))
                .map(i -> (int) Math.max(1, Math.exp(mean + deviation * random.nextGaussian())))
                .toArray();
        Packing<Tensor> packing = Packing.of(ROW).tooLong(TooLong.SPLIT).seed(SEED);
        PackPlan plan = packing.plan(lengths);
        double fill = 100 * plan.fill();
        bench.atLeast(MIN_FILL, name + ": cells of rows that are tokens", fill, "%");
        double theirs = 100.0 * plan.tokens() / OpenBins.rows(pieces(lengths), ROW, BINS) / ROW;
        bench.found("%s: Grain's best fit, %,d bins".formatted(name, BINS), theirs, "%");
        bench.atMost(1, name + ": padding over its padding", (100 - fill) / (100 - theirs), "×");
        Rounds planning =
                bench.rounds("packing: " + name, 5, 5, List.of(() -> Seconds.of(() -> packing.plan(lengths))));
        bench.atMost(MAX_NANOS, name + ": planning a sequence", 1e9 * planning.median(0) / lengths.length, "ns");
    }

    /** The lengths as a plan takes them, split into rows. */
    private static List<Integer> pieces(int[] lengths) {
        Draws draws = Sampler.shuffled(SEED).draws(lengths.length);
        List<Integer> pieces = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            for (int left = lengths[(int) draws.at(i).index()]; left > 0; left -= ROW) {
                pieces.add(Math.min(left, ROW));
            }
        }
        return pieces;
    }
}
