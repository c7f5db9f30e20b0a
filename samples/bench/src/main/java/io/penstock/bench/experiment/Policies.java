package io.penstock.bench.experiment;

import io.penstock.bench.Bench;
import io.penstock.bench.Chart;
import io.penstock.bench.Measured;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The hit ratio of real tiers in RAM by policy and capacity: two epochs fill a tier, the next two are counted. With c
 * the share that the tier holds, no policy can hit more than c where an epoch draws each sample once. HOLD hits c. LRU
 * hits c + (1 - c) ln(1 - c) under a shuffle, and 0 if every epoch has the same order.
 */
public final class Policies {

    private static final int BYTES = 1024;
    private static final int ENTRY_BYTES = BYTES + 64; // with its header and its place in the index
    private static final int SETTLING = 2;
    private static final int COUNTED = 2;
    private static final double MAX_OFF = 0.5;
    private static final String HELD = "held by ";

    private static final List<Case> CASES = List.of(
            new Case("hold", CachePolicy.HOLD, true, c -> c),
            new Case("LRU", CachePolicy.LRU, true, c -> c + (1 - c) * Math.log1p(-c)),
            new Case("LRU not shuffled", CachePolicy.LRU, false, c -> 0));

    private record Case(String series, CachePolicy policy, boolean shuffled, DoubleUnaryOperator theory) {

        double percent(double held) {
            return 100 * theory.applyAsDouble(held / 100);
        }
    }

    private Policies() {}

    public static void run(Bench bench) {
        run(
                bench,
                bench.choose(20_000, 4_000),
                bench.choose(List.of(5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95), List.of(10, 30, 50, 70, 90)),
                bench.choose(5, 3));
    }

    /**
     * @param shares of the samples that fit, in percent
     * @param rounds of repetitions, each with a seed of its own
     */
    static Measured run(Bench bench, int size, List<Integer> shares, int rounds) {
        Dataset<Tensor> samples = MemoryDataset.generate("policies", size, index -> Tensor.ofBytes(new byte[BYTES]));
        Measured measured = new Measured();
        Map<String, IntConsumer> trials = new LinkedHashMap<>();
        for (Case one : CASES) {
            for (int share : shares) {
                trials.put(
                        "%s %d %%".formatted(one.series, share),
                        round -> measure(samples, one, share, round + 1, measured));
            }
        }
        bench.inTurn(rounds, trials);
        List<Chart.Line> lines = new ArrayList<>();
        for (Case one : CASES) {
            lines.add(measured.line(one.series, one.series, share -> measured.median(HELD + one.series, share)));
            double off = shares.stream()
                    .mapToDouble(share -> Math.abs(measured.median(one.series, share)
                            - one.percent(measured.median(HELD + one.series, share))))
                    .max()
                    .orElse(0);
            String what = one.series + ": hit ratio, farthest off theory";
            bench.atMost(MAX_OFF, what, off, "points");
        }
        lines.add(theory("theory: max of any policy", CASES.get(0)));
        lines.add(theory("theory: LRU", CASES.get(1)));
        bench.draw(new Chart(
                "hits",
                "Hits of a cache that holds a part of the samples",
                Chart.Axis.linear("share of the samples that the cache holds [%]"),
                Chart.Axis.linear("hits of all look-ups [%]"),
                lines));
        return measured;
    }

    private static Chart.Line theory(String name, Case one) {
        return Chart.Line.theory(name, IntStream.iterate(0, held -> held < 100, held -> held + 3), one::percent);
    }

    private static void measure(Dataset<Tensor> samples, Case one, int share, long seed, Measured measured) {
        long room = samples.size() * share / 100 * ENTRY_BYTES;
        try (Tier tier = RamTier.of(one.policy).maxBytes(room).open()) {
            Dataset<Tensor> cached = samples.cache(tier, TrainingStep.SCHEMA);
            epochs(cached, one, seed, 0, SETTLING);
            long before = tier.statistics().hits();
            epochs(cached, one, seed, SETTLING, SETTLING + COUNTED);
            double hits = (double) (tier.statistics().hits() - before) / COUNTED / samples.size();
            double held = (double) tier.statistics().samples() / samples.size();
            measured.add(one.series, share, 100 * hits);
            measured.add(HELD + one.series, share, 100 * held);
        }
    }

    private static void epochs(Dataset<Tensor> cached, Case one, long seed, long from, long to) {
        Sampler order = one.shuffled ? Sampler.shuffled(seed) : Sampler.sequential();
        cached.stream(order.epochs(to).resumeAt(new Position(from, 0)), Execution.standard())
                .blockLast();
    }
}
