package io.penstock.bench.suite;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Mixture;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A warm, shuffled epoch of a mixture from the RAM tier, against that of one data set of as many samples: with a cache
 * for each source, and with one behind the mixture.
 */
public final class MixedEpochs implements Benchmark {

    private static final int WARM_UP = 3;
    private static final double MIN_SHARE = 90;

    @Override
    public String name() {
        return "mixed";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        List<Result> results = new ArrayList<>();
        results.addAll(measure(new MeasuredEpoch(options.choose(400_000, 200_000), 1024, 256), options));
        results.addAll(measure(new MeasuredEpoch(options.choose(4_000, 2_000), 150_528, 64), options));
        return results;
    }

    /** A pipeline and its order for each seed. */
    private record Side(String name, Dataset<Tensor> data, Sampler order) {}

    private static List<Result> measure(MeasuredEpoch epoch, BenchOptions options) {
        try (Tier tier = RamTier.ofBytes((long) epoch.samples() * (epoch.sampleBytes() + 256))) {
            Dataset<Tensor> records = epoch.records();
            Dataset<Tensor> single = records.cache(tier, MeasuredEpoch.SCHEMA);
            List<Side> sides = new ArrayList<>(List.of(new Side("one data set", single, Sampler.shuffled(1))));
            for (int sources : new int[] {2, 4}) {
                Mixture<Tensor> mixture = mixture(records, sources, tier);
                Mixture<Tensor> bare = mixture(records, sources, null);
                sides.add(new Side("%d sources, a cache each".formatted(sources), mixture.dataset(), order(mixture)));
                sides.add(new Side(
                        "%d sources, one cache".formatted(sources),
                        bare.dataset().cache(tier, MeasuredEpoch.SCHEMA),
                        order(bare)));
            }
            int[] seed = {0};
            Rounds rounds = Rounds.of(
                    WARM_UP,
                    options.choose(15, 7),
                    round -> options.progress().accept("mixed: %s, round %d".formatted(epoch, round + 1)),
                    sides.stream()
                            .<DoubleSupplier>map(side -> () -> nanos(epoch, side, seed[0]++))
                            .toList());
            List<Result> results = new ArrayList<>();
            for (int side = 0; side < sides.size(); side++) {
                String what = epoch + ": " + sides.get(side).name;
                results.add(Result.of(what + ", a sample", rounds.median(side), "ns"));
                if (side > 0) {
                    results.add(Result.of(what + ", speed of one data set's", 100 * rounds.medianRatio(0, side), "%")
                            .atLeast(0, MIN_SHARE));
                }
            }
            return results;
        }
    }

    private static Sampler order(Mixture<Tensor> mixture) {
        return mixture.sampler(Sampler.shuffled(1));
    }

    /** Equal parts of the records with equal weights, each behind a cache where there is one. */
    private static Mixture<Tensor> mixture(Dataset<Tensor> records, int sources, @Nullable Tier tier) {
        long part = records.size() / sources;
        List<Dataset<Tensor>> parts = LongStream.range(0, sources)
                .mapToObj(source -> records.slice(source * part, (source + 1) * part))
                .map(slice -> tier == null ? slice : slice.cache(tier, MeasuredEpoch.SCHEMA))
                .toList();
        Mixture<Tensor> mixture = Mixture.of(parts.get(0), 1);
        for (Dataset<Tensor> other : parts.subList(1, sources)) {
            mixture = mixture.and(other, 1);
        }
        return mixture;
    }

    private static double nanos(MeasuredEpoch epoch, Side side, int seed) {
        Sampler two = side.order.seed(seed).epochs(2);
        return epoch.seconds(side.data, two) / two.samples(side.data.size()) * 1e9;
    }
}
