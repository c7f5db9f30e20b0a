package io.penstock.bench.caching;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurement;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.bench.experiment.Trial;
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
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * The hit ratio of real tiers by policy and capacity: two epochs fill a tier, the next two are counted. With c the
 * share that the tier holds, HOLD hits c. LRU hits c + (1 - c) ln(1 - c) under a shuffle, and 0 if every epoch has the
 * same order.
 */
public final class Policies extends Experiment {

    private static final String HITS = "hit ratio [%]";
    private static final String HELD = "share held [%]";
    private static final int BYTES = 1024;
    private static final int ENTRY_BYTES = BYTES + 64; // with its header and its place in the index
    private static final int SETTLING = 2;
    private static final int COUNTED = 2;
    private static final int ROW = 5;
    private static final double MAX_OFF = 0.5;

    private static final List<Case> CASES = List.of(
            new Case("hold", CachePolicy.HOLD, true, c -> c),
            new Case("cost", CachePolicy.COST, true, c -> c),
            new Case("LRU", CachePolicy.LRU, true, c -> c + (1 - c) * Math.log1p(-c)),
            new Case("LRU not shuffled", CachePolicy.LRU, false, c -> 0));

    /**
     * How much to measure.
     *
     * @param samples of an epoch
     * @param shares  of the samples that fit, in percent
     * @param rounds  of repetitions, each with a seed of its own
     */
    record Size(int samples, List<Integer> shares, int rounds) {}

    private final Size size;
    private final Dataset<Tensor> samples;

    private record Case(String series, CachePolicy policy, boolean shuffled, DoubleUnaryOperator theory) {}

    public Policies(BenchOptions options) {
        this(
                options.quick()
                        ? new Size(4_000, List.of(10, 30, 50, 70, 90), 3)
                        : new Size(20_000, List.of(5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95), 5));
    }

    Policies(Size size) {
        super(size.rounds());
        this.size = size;
        this.samples = MemoryDataset.generate("policies", size.samples(), index -> Tensor.ofBytes(new byte[BYTES]));
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("samples", "%d of %d B".formatted(size.samples(), BYTES));
    }

    @Override
    public List<String> explained() {
        return List.of(
                "Real caches in RAM, filled by two epochs that draw each sample once; hits are counted over the next"
                        + " two. Each repetition has a seed of its own.",
                "Theory, with c the share that the cache holds: no policy can hit more than c where an epoch draws"
                        + " each sample once; LRU hits c + (1 − c) · ln(1 − c) under a shuffle, and nothing where every"
                        + " epoch has the same order.");
    }

    @Override
    public List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (Case one : CASES) {
            for (int share : size.shares()) {
                trials.add(
                        new Trial("%s %d %%".formatted(one.series, share), round -> measured(one, share, round + 1)));
            }
        }
        return trials;
    }

    private List<Measurement> measured(Case one, int share, long seed) {
        long room = (long) size.samples() * share / 100 * ENTRY_BYTES;
        try (Tier tier = RamTier.ofBytes(room, one.policy)) {
            Dataset<Tensor> cached = samples.cache(tier, TrainingStep.SCHEMA);
            run(cached, one, seed, 0, SETTLING);
            long before = tier.statistics().hits();
            run(cached, one, seed, SETTLING, SETTLING + COUNTED);
            double hits = (double) (tier.statistics().hits() - before) / COUNTED / size.samples();
            double held = (double) tier.statistics().samples() / size.samples();
            return List.of(
                    new Measurement(HITS, one.series, share, 100 * hits),
                    new Measurement(HELD, one.series, share, 100 * held));
        }
    }

    private static void run(Dataset<Tensor> cached, Case one, long seed, long from, long to) {
        Sampler order = one.shuffled ? Sampler.shuffled(seed) : Sampler.sequential();
        cached.stream(order.epochs(to).resumeAt(new Position(from, 0)), Execution.standard())
                .blockLast();
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        List<Chart.Line> lines = new ArrayList<>();
        for (Case one : CASES) {
            lines.add(measurements.line(
                    one.series, HITS, one.series, share -> measurements.median(HELD, one.series, share)));
        }
        lines.add(theory("theory: max of any policy", CASES.get(0)));
        lines.add(theory("theory: LRU", CASES.get(2)));
        return List.of(new Chart(
                "hits",
                "Hits of a cache that holds a part of the samples",
                Chart.Axis.linear("share of the samples that the cache holds [%]"),
                Chart.Axis.linear("hits of all look-ups [%]"),
                lines));
    }

    private static Chart.Line theory(String name, Case one) {
        return Chart.Line.theory(
                name,
                IntStream.iterate(0, held -> held < 100, held -> held + 3)
                        .mapToObj(held -> Chart.Dot.of(held, 100 * one.theory.applyAsDouble(held / 100.0)))
                        .toList());
    }

    private static double expected(Measurements measurements, Case one, double share) {
        return 100 * one.theory.applyAsDouble(measurements.median(HELD, one.series, share) / 100);
    }

    @Override
    public List<Result> results(Measurements measurements) {
        return CASES.stream().map(one -> finding(measurements, one)).toList();
    }

    private Result finding(Measurements measurements, Case one) {
        Result off = Result.of(one.series + ": hit ratio, farthest off theory", off(measurements, one), "points");
        return switch (one.policy) {
            case HOLD -> off.atMost(ROW, MAX_OFF);
            case LRU -> off.atMost(0, MAX_OFF);
            case COST -> off; // it saves expensive loads rather than many
        };
    }

    private static double off(Measurements measurements, Case one) {
        return measurements.places(HITS, one.series).stream()
                .mapToDouble(share ->
                        Math.abs(measurements.median(HITS, one.series, share) - expected(measurements, one, share)))
                .max()
                .orElse(0);
    }
}
