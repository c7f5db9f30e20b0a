package io.penstock.bench.suite;

import io.penstock.bench.BareLoop;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Effort;
import io.penstock.bench.Finding;
import io.penstock.bench.MadeRecords;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleOptions;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A warm, shuffled epoch out of the disk tier, its files in the page cache, against the bare loop that copies the same
 * samples in the same order out of a mapped file; and how long opening takes.
 */
public final class DiskEpochs implements Benchmark {

    private static final int WARM_UP = 3;
    private static final int EPOCHS_ROW = 3;
    private static final int REOPENING_ROW = 4;
    private static final int REOPENED_BYTES = 1024;

    private final MeasuredEpoch epoch = new MeasuredEpoch();

    private record Work(int samples, int sampleBytes, int batch, double mustReach) {
        @Override
        public String toString() {
            return "%,d x %,d B, batches of %d".formatted(samples, sampleBytes, batch);
        }
    }

    @Override
    public String name() {
        return "disk";
    }

    @Override
    public String about() {
        return "a warm disk epoch against a bare loop over a mapped file, and reopening";
    }

    @Override
    public List<Finding> run(Effort effort) {
        List<Finding> findings = new ArrayList<>();
        findings.addAll(ScratchFolder.with(
                folder -> measure(new Work(effort.of(4_000, 2_000), 150_528, 64, 80), effort, folder)));
        findings.addAll(ScratchFolder.with(
                folder -> measure(new Work(effort.of(400_000, 200_000), 1024, 256, 40), effort, folder)));
        findings.addAll(ScratchFolder.with(folder -> reopen(effort.of(1_000_000, 300_000), effort, folder)));
        return findings;
    }

    private List<Finding> measure(Work work, Effort effort, Path folder) throws IOException {
        MadeRecords records = new MadeRecords(work.samples, work.sampleBytes);
        try (Tier tier =
                options(folder, (long) work.samples * (work.sampleBytes + 128)).open()) {
            Dataset<Tensor> cached = records.cache(tier, epoch.schema());
            effort.progress().accept("disk: filling the cache with " + work);
            for (int i = 0; i < work.samples; i++) {
                cached.get(i).block();
            }
            long missesBefore = tier.statistics().misses();
            BareLoop file = BareLoop.overOneFile(folder.resolve("plain"), records, work.sampleBytes, work.batch);
            int[] round = {0};
            int[][] order = {{}};
            Rounds rounds = Rounds.of(
                    WARM_UP,
                    effort.of(15, 7),
                    number -> {
                        effort.progress().accept("disk: %s, round %d".formatted(work, number + 1));
                        order[0] = epoch.order(work.samples, ++round[0]);
                    },
                    List.of(() -> epoch.seconds(cached, work.batch, round[0]), () -> file.seconds(order[0])));
            double bytes = (double) work.samples * work.sampleBytes;
            return List.of(
                    Finding.of(
                                    name(),
                                    work + ": misses while warm",
                                    (double) (tier.statistics().misses() - missesBefore),
                                    "")
                            .atMost(EPOCHS_ROW, 0),
                    Finding.of(name(), work + ": pipeline", bytes / rounds.median(0) / 1e9, "GB/s"),
                    Finding.of(name(), work + ": pipeline, a sample", rounds.median(0) / work.samples * 1e9, "ns"),
                    Finding.of(name(), work + ": bare loop, mapped file", bytes / rounds.median(1) / 1e9, "GB/s"),
                    Finding.of(name(), work + ": of the loop over a mapped file", 100 * rounds.medianRatio(1, 0), "%")
                            .atLeast(EPOCHS_ROW, work.mustReach));
        }
    }

    private static ChronicleOptions options(Path folder, long bytes) {
        return ChronicleTier.at(folder.resolve("cache")).maxBytes(2 * bytes);
    }

    private List<Finding> reopen(int samples, Effort effort, Path folder) {
        ChronicleOptions options = options(folder, (long) samples * (REOPENED_BYTES + 128));
        effort.progress().accept("disk: filling a cache of %,d samples".formatted(samples));
        try (Tier tier = options.open()) {
            ByteBuffer value = ByteBuffer.allocateDirect(REOPENED_BYTES);
            for (int i = 0; i < samples; i++) {
                tier.put(SampleKey.of("reopened").with(i), value).block();
            }
        }
        Rounds rounds = Rounds.of(
                1,
                effort.of(7, 3),
                number -> effort.progress().accept("disk: opening, round %d".formatted(number + 1)),
                List.of(() -> openSeconds(options, samples)));
        return List.of(Finding.of(
                        name(),
                        "opening %,d samples of %,d B, a million".formatted(samples, REOPENED_BYTES),
                        rounds.median(0) / samples * 1e6,
                        "s")
                .atMost(REOPENING_ROW, 1));
    }

    private static double openSeconds(ChronicleOptions options, int samples) {
        long started = System.nanoTime();
        try (Tier tier = options.open()) {
            double seconds = (System.nanoTime() - started) / 1e9;
            if (tier.statistics().samples() != samples) {
                throw new IllegalStateException(
                        "opened %d samples of %d".formatted(tier.statistics().samples(), samples));
            }
            return seconds;
        }
    }
}
