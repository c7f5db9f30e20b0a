package io.penstock.bench.suite;

import io.penstock.bench.BareLoop;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.MadeRecords;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A warm, shuffled epoch from the RAM tier, from draw to closed batch, against a bare loop that copies the same samples
 * in the same order. The limit is the loop over the tier's own memory. The loop over one plain direct buffer shows that
 * the tier's layout does not slow the limit down.
 */
public final class WarmEpochs implements Benchmark {

    private static final int WARM_UP = 3;

    private final MeasuredEpoch epoch = new MeasuredEpoch();

    private record Work(int row, int samples, int sampleBytes, int batch, double mustReach) {
        @Override
        public String toString() {
            return "%,d x %,d B, batches of %d".formatted(samples, sampleBytes, batch);
        }
    }

    @Override
    public String name() {
        return "warm";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        List<Result> results = new ArrayList<>();
        results.addAll(measure(new Work(1, options.choose(4_000, 2_000), 150_528, 64, 85), options));
        results.addAll(measure(new Work(2, options.choose(400_000, 200_000), 1024, 256, 50), options));
        return results;
    }

    private List<Result> measure(Work work, BenchOptions options) {
        MadeRecords records = new MadeRecords(work.samples, work.sampleBytes);
        try (Tier tier = RamTier.ofBytes((long) work.samples * (work.sampleBytes + 256))) {
            Dataset<Tensor> cached = records.cache(tier, epoch.schema());
            options.progress().accept("warm: filling the cache with " + work);
            ByteBuffer[] views = new ByteBuffer[work.samples];
            for (int i = 0; i < work.samples; i++) {
                cached.get(i).block();
                views[i] = Objects.requireNonNull(tier.get(cached.id(i).key()).block(), "what was just stored");
            }
            BareLoop plain = BareLoop.overOneBuffer(records, work.sampleBytes, work.batch);
            BareLoop own = BareLoop.overViews(views, work.sampleBytes, work.batch);
            int[] round = {0};
            int[][] order = {{}};
            Rounds rounds = Rounds.of(
                    WARM_UP,
                    options.choose(15, 7),
                    number -> {
                        options.progress().accept("warm: %s, round %d".formatted(work, number + 1));
                        order[0] = epoch.order(work.samples, ++round[0]);
                    },
                    List.of(
                            () -> epoch.seconds(cached, work.batch, round[0]),
                            () -> plain.seconds(order[0]),
                            () -> own.seconds(order[0])));
            return results(work, rounds);
        }
    }

    private List<Result> results(Work work, Rounds rounds) {
        double bytes = (double) work.samples * work.sampleBytes;
        return List.of(
                Result.of(work + ": pipeline", bytes / rounds.median(0) / 1e9, "GB/s"),
                Result.of(work + ": pipeline, a sample", rounds.median(0) / work.samples * 1e9, "ns"),
                Result.of(work + ": bare loop, tier's memory", bytes / rounds.median(2) / 1e9, "GB/s"),
                Result.of(work + ": bare loop, plain buffer", bytes / rounds.median(1) / 1e9, "GB/s"),
                Result.of(work + ": of the loop over a plain buffer", 100 * rounds.medianRatio(1, 0), "%"),
                Result.of(work + ": of the loop over the tier's memory", 100 * rounds.medianRatio(2, 0), "%")
                        .atLeast(work.row, work.mustReach));
    }
}
