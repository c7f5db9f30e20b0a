package io.penstock.bench.suite;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.MadeRecords;
import io.penstock.bench.Result;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Heap and process size after 10 and after 100 warm epochs of one stream. */
public final class FlatMemory implements Benchmark {

    private static final int SAMPLE_BYTES = 16_384;
    private static final int EARLY = 10;
    private static final int LATE = 100;
    private static final double MIB = 1 << 20;
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int COLLECTIONS = 3; // a later one frees the direct buffers whose cleaners an earlier one ran

    @Override
    public String name() {
        return "flat";
    }

    /**
     * The whole heap is resident from the start, so that a collector that uses more of it does not look like a leak.
     */
    @Override
    public List<String> flags() {
        return List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch");
    }

    @Override
    public List<Result> run(BenchOptions options) {
        int samples = options.choose(8_000, 2_000);
        Schema<Tensor> schema = Schema.tensor("bytes");
        Footprint[] seen = new Footprint[2];
        try (Tier tier = RamTier.ofBytes((long) samples * (SAMPLE_BYTES + 256))) {
            new MadeRecords(samples, SAMPLE_BYTES)
                    .cache(tier, schema).stream(Sampler.shuffled(42).epochs(LATE))
                            .transform(Batches.of(64, schema))
                            .doOnNext(batch -> consume(batch, seen, options))
                            .blockLast();
        }
        return List.of(
                Result.of("heap after epoch 10", seen[0].heapBytes() / MIB, "MiB"),
                Result.of("heap after epoch 100", seen[1].heapBytes() / MIB, "MiB"),
                Result.of("process after epoch 10", seen[0].residentBytes() / MIB, "MiB"),
                Result.of("process after epoch 100", seen[1].residentBytes() / MIB, "MiB"),
                Result.of("heap grew by", (seen[1].heapBytes() - seen[0].heapBytes()) / MIB, "MiB"),
                Result.of("process grew by", (seen[1].residentBytes() - seen[0].residentBytes()) / MIB, "MiB"));
    }

    private static void consume(Batch batch, Footprint[] seen, BenchOptions options) {
        try (batch) {
            if (!batch.endsEpoch()) {
                return;
            }
        }
        long ended = batch.epoch() + 1;
        options.progress().accept("flat: epoch %d of %d".formatted(ended, LATE));
        if (ended == EARLY || ended == LATE) {
            seen[ended == EARLY ? 0 : 1] = Footprint.now();
        }
    }

    /**
     * The memory of this process.
     *
     * @param heapBytes     used on the Java heap after a collection
     * @param residentBytes of the whole process, 0 if the system is not Linux
     */
    private record Footprint(long heapBytes, long residentBytes) {

        static Footprint now() {
            for (int i = 0; i < COLLECTIONS; i++) {
                System.gc();
            }
            return new Footprint(
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), resident());
        }

        private static long resident() {
            try {
                return Files.readAllLines(STATUS).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                        .findFirst()
                        .orElse(0);
            } catch (IOException e) {
                return 0; // not Linux
            }
        }
    }
}
