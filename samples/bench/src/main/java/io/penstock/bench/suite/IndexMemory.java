package io.penstock.bench.suite;

import io.penstock.bench.Benchmark;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import io.penstock.bench.Footprint;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What the RAM tier takes beside the values, a cached sample. */
public final class IndexMemory implements Benchmark {

    private static final int VALUE_BYTES = 16;
    private static final int ROW = 9;
    private static final double MOST = 24;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        int samples = options.choose(10_000_000, 1_000_000);
        Footprint before = Footprint.now();
        try (Tier tier = RamTier.ofBytes(samples * 128L)) {
            SampleKey folder = SampleKey.of("made");
            ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
            for (int i = 0; i < samples; i++) {
                if (i % 100_000 == 0) {
                    options.progress().accept("memory: %,d of %,d".formatted(i, samples));
                }
                value.clear().putLong(0, i);
                tier.put(folder.with(i), value).block();
            }
            if (tier.statistics().samples() != samples) {
                throw new IllegalStateException("the tier holds %d of %d samples"
                        .formatted(tier.statistics().samples(), samples));
            }
            Footprint after = Footprint.now();
            String of = " of %,d samples, each".formatted(samples);
            double beside = (double) tier.statistics().bytes() / samples - VALUE_BYTES;
            double heap = (double) (after.heapBytes() - before.heapBytes()) / samples;
            List<Result> results = new ArrayList<>();
            results.add(Result.of("beside the values, by the tier's account" + of, beside, "B"));
            results.add(Result.of("growth of the Java heap" + of, heap, "B"));
            // an account that the heap contradicts is not believed
            results.add(Result.of("the larger of the two" + of, Math.max(beside, heap), "B")
                    .atMost(ROW, MOST));
            if (after.residentBytes() > 0) {
                double resident = (double) (after.residentBytes() - before.residentBytes()) / samples - VALUE_BYTES;
                results.add(Result.of("growth of the process less the values" + of, resident, "B"));
            }
            return results;
        }
    }
}
