package io.penstock.bench.suite;

import io.penstock.bench.BareLoop;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.MadeRecords;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.Entry;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleOptions;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A warm, shuffled epoch from the disk tier, with its files in the page cache, against a bare loop that copies the same
 * samples in the same order from a mapped file. The time to open the tier is measured, too.
 */
public final class DiskEpochs implements Benchmark {

    private static final int EPOCHS_ROW = 3;
    private static final int REOPENING_ROW = 4;
    private static final int REOPENED_BYTES = 1024;

    @Override
    public String name() {
        return "disk";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        List<Result> results = new ArrayList<>();
        results.addAll(ScratchFolder.with(
                folder -> measure(new MeasuredEpoch(options.choose(4_000, 2_000), 150_528, 64), 80, options, folder)));
        results.addAll(ScratchFolder.with(folder ->
                measure(new MeasuredEpoch(options.choose(400_000, 200_000), 1024, 256), 40, options, folder)));
        results.addAll(ScratchFolder.with(folder -> reopen(options.choose(1_000_000, 300_000), options, folder)));
        return results;
    }

    private static List<Result> measure(MeasuredEpoch epoch, double mustReach, BenchOptions options, Path folder)
            throws IOException {
        MadeRecords records = epoch.records();
        long room = (long) epoch.samples() * (epoch.sampleBytes() + 128);
        try (Tier tier = cache(folder, room).open()) {
            Dataset<Tensor> cached = records.cache(tier, MeasuredEpoch.SCHEMA);
            options.progress().accept("filling the cache with " + epoch);
            for (int i = 0; i < epoch.samples(); i++) {
                cached.get(i).block();
            }
            long missesBefore = tier.statistics().misses();
            BareLoop file = BareLoop.overOneFile(folder.resolve("plain"), records, epoch.sampleBytes(), epoch.batch());
            Rounds rounds = epoch.against(List.of(file), cached, options);
            double misses = tier.statistics().misses() - missesBefore;
            List<Result> results = new ArrayList<>(epoch.results(rounds));
            results.add(Result.of(epoch + ": misses while warm", misses, "").atMost(EPOCHS_ROW, 0));
            results.add(Result.of(epoch + ": bare loop, mapped file", epoch.gigabytes(rounds.median(1)), "GB/s"));
            results.add(Result.of(epoch + ": of the loop over a mapped file", 100 * rounds.medianRatio(1, 0), "%")
                    .atLeast(EPOCHS_ROW, mustReach));
            return results;
        }
    }

    private static ChronicleOptions cache(Path folder, long bytes) {
        return ChronicleTier.at(folder.resolve("cache")).maxBytes(2 * bytes);
    }

    private static List<Result> reopen(int samples, BenchOptions options, Path folder) {
        ChronicleOptions cache = cache(folder, (long) samples * (REOPENED_BYTES + 128));
        options.progress().accept("disk: filling a cache of %,d samples".formatted(samples));
        try (Tier tier = cache.open()) {
            ByteBuffer value = ByteBuffer.allocateDirect(REOPENED_BYTES);
            for (int i = 0; i < samples; i++) {
                tier.put(SampleKey.of("reopened").with(i), Encoded.of(value), Entry.UNKNOWN)
                        .block();
            }
        }
        Rounds rounds =
                options.rounds("disk: opening", 1, options.choose(7, 3), List.of(() -> openSeconds(cache, samples)));
        return List.of(Result.of(
                        "opening %,d samples of %,d B, a million".formatted(samples, REOPENED_BYTES),
                        rounds.median(0) / samples * 1e6,
                        "s")
                .atMost(REOPENING_ROW, 1));
    }

    private static double openSeconds(ChronicleOptions cache, int samples) {
        long started = System.nanoTime();
        try (Tier tier = cache.open()) {
            double seconds = (System.nanoTime() - started) / 1e9;
            if (tier.statistics().samples() != samples) {
                throw new IllegalStateException(
                        "opened %d samples of %d".formatted(tier.statistics().samples(), samples));
            }
            return seconds;
        }
    }
}
