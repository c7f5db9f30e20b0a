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

    @Override
    public String name() {
        return "warm";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        List<Result> results = new ArrayList<>();
        results.addAll(measure(new MeasuredEpoch(options.choose(4_000, 2_000), 150_528, 64), 1, 85, options));
        results.addAll(measure(new MeasuredEpoch(options.choose(400_000, 200_000), 1024, 256), 2, 50, options));
        return results;
    }

    private static List<Result> measure(MeasuredEpoch epoch, int row, double mustReach, BenchOptions options) {
        MadeRecords records = epoch.records();
        int sampleBytes = epoch.sampleBytes();
        try (Tier tier = RamTier.ofBytes((long) epoch.samples() * (sampleBytes + 256))) {
            Dataset<Tensor> cached = records.cache(tier, MeasuredEpoch.SCHEMA);
            options.progress().accept("filling the cache with " + epoch);
            ByteBuffer[] views = new ByteBuffer[epoch.samples()];
            for (int i = 0; i < views.length; i++) {
                cached.get(i).block();
                views[i] = Objects.requireNonNull(tier.get(cached.id(i).key()).block(), "what was just stored");
            }
            BareLoop plain = BareLoop.overOneBuffer(records, sampleBytes, epoch.batch());
            BareLoop own = BareLoop.overViews(views, sampleBytes, epoch.batch());
            Rounds rounds = epoch.against(List.of(plain, own), cached, options);
            List<Result> results = new ArrayList<>(epoch.results(rounds));
            results.add(Result.of(epoch + ": bare loop, tier's memory", epoch.gigabytes(rounds.median(2)), "GB/s"));
            results.add(Result.of(epoch + ": bare loop, plain buffer", epoch.gigabytes(rounds.median(1)), "GB/s"));
            results.add(Result.of(epoch + ": of the loop over a plain buffer", 100 * rounds.medianRatio(1, 0), "%"));
            results.add(Result.of(epoch + ": of the loop over the tier's memory", 100 * rounds.medianRatio(2, 0), "%")
                    .atLeast(row, mustReach));
            return results;
        }
    }
}
