package io.penstock.bench.suite;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.MadeRecords;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;

/** The cost of an empty stage behind a hit in RAM. */
public final class StageCost implements Benchmark {

    private static final int[] STAGES = {0, 1, 4, 8};
    private static final int SAMPLE_BYTES = 64;
    private static final int WARM_UP = 5;

    @Override
    public String name() {
        return "stage";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        int samples = options.choose(200_000, 20_000);
        Schema<Tensor> schema = Schema.tensor("bytes");
        try (Tier tier = RamTier.ofBytes((long) samples * (SAMPLE_BYTES + 256))) {
            Dataset<Tensor> cached = new MadeRecords(samples, SAMPLE_BYTES).cache(tier, schema);
            List<DoubleSupplier> contestants = new ArrayList<>();
            for (int stages : STAGES) {
                Dataset<Tensor> staged = cached;
                for (int i = 0; i < stages; i++) {
                    staged = staged.map("empty " + i, tensor -> tensor);
                }
                Dataset<Tensor> whole = staged;
                contestants.add(() -> nanos(whole, samples));
            }
            Rounds rounds = options.rounds("stage", WARM_UP, options.choose(15, 7), contestants);
            List<Result> results = new ArrayList<>();
            for (int i = 0; i < STAGES.length; i++) {
                results.add(Result.of(STAGES[i] + " empty stages: a sample", rounds.median(i), "ns"));
            }
            int last = STAGES.length - 1;
            results.add(Result.of("each stage adds", (rounds.median(last) - rounds.median(0)) / STAGES[last], "ns"));
            return results;
        }
    }

    private static double nanos(Dataset<Tensor> dataset, int samples) {
        long started = System.nanoTime();
        dataset.stream(Sampler.shuffled(42)).blockLast();
        return (double) (System.nanoTime() - started) / samples;
    }
}
