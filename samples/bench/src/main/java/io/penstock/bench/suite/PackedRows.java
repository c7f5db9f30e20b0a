package io.penstock.bench.suite;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pack.PackPlan;
import io.penstock.pack.Packing;
import io.penstock.pack.TokenBudget;
import io.penstock.pack.TooLong;
import io.penstock.pipeline.Grouping;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * How full packed rows and batches by token count are, against Grain's best fit on the same lengths in the same order,
 * and how long planning takes. Lengths are made up: log-normal, as those of GSM8K's lines and of long articles.
 */
public final class PackedRows implements Benchmark {

    private static final int ROW = 2_048;
    private static final int[] BINS = {64, 1_024};
    private static final double MIN_FILL = 98;
    private static final double MAX_NANOS = 1_000;
    private static final int WARM_UP = 5;
    private static final int ROUNDS = 5;

    @Override
    public String name() {
        return "packing";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        int count = options.choose(1_000_000, 100_000);
        List<Result> results = new ArrayList<>();
        for (Texts texts : List.of(new Texts("short texts", 5.07, 0.33), new Texts("long texts", 6.8, 1.1))) {
            options.progress().accept("packing: " + texts.name);
            int[] lengths = texts.lengths(count);
            Packing<Tensor> packing = Packing.of(ROW).tooLong(TooLong.SPLIT).seed(42);
            PackPlan plan = packing.plan(lengths);
            double fill = 100 * plan.fill();
            results.add(Result.of(texts.name + ": cells of rows that are tokens", fill, "%")
                    .atLeast(0, MIN_FILL));
            for (int bins : BINS) {
                double theirs = 100.0 * plan.tokens() / OpenBins.rows(pieces(lengths, 42), ROW, bins) / ROW;
                results.add(Result.of("%s: Grain's best fit, %,d bins".formatted(texts.name, bins), theirs, "%"));
                results.add(Result.of(
                                "%s: padding over its padding, %,d bins".formatted(texts.name, bins),
                                (100 - fill) / (100 - theirs),
                                "×")
                        .atMost(0, 1));
            }
            results.add(Result.of(texts.name + ": planning a sequence", nanos(() -> packing.plan(lengths), count), "ns")
                    .atMost(0, MAX_NANOS));
            TokenBudget budget = TokenBudget.of(32 * ROW).seed(42);
            int[] cut = Arrays.stream(lengths)
                    .map(length -> Math.min(length, 32 * ROW))
                    .toArray();
            results.add(Result.of(
                    texts.name + ": cells of batches by token count that are tokens",
                    100 * fill(budget.plan(cut), cut),
                    "%"));
        }
        return results;
    }

    /** Lengths of this name, log-normal. */
    private record Texts(String name, double mean, double deviation) {

        int[] lengths(int count) {
            Random random = new Random(1);
            return IntStream.range(0, count)
                    .map(i -> (int) Math.max(1, Math.exp(mean + deviation * random.nextGaussian())))
                    .toArray();
        }
    }

    /** The lengths as a plan of this seed takes them, split into rows. */
    private static List<Integer> pieces(int[] lengths, long seed) {
        Draws draws = Sampler.shuffled(seed).draws(lengths.length);
        List<Integer> pieces = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            for (int left = lengths[(int) draws.at(i).index()]; left > 0; left -= ROW) {
                pieces.add(Math.min(left, ROW));
            }
        }
        return pieces;
    }

    private static double fill(Grouping batches, int[] lengths) {
        long cells = 0;
        for (long i = 0; i < batches.size(); i++) {
            long[] members = batches.members(i);
            cells += (long) members.length
                    * Arrays.stream(members)
                            .mapToInt(member -> lengths[(int) member])
                            .max()
                            .orElse(0);
        }
        return (double) Arrays.stream(lengths).asLongStream().sum() / cells;
    }

    private static double nanos(Runnable planning, int count) {
        return Rounds.of(WARM_UP, ROUNDS, round -> {}, List.of(() -> {
                    long started = System.nanoTime();
                    planning.run();
                    return (double) (System.nanoTime() - started) / count;
                }))
                .median(0);
    }
}
