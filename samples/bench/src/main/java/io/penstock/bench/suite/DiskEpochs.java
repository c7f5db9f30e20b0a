package io.penstock.bench.suite;

import io.penstock.bench.BareLoop;
import io.penstock.bench.Bench;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.bench.Seconds;
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
import java.util.List;

/**
 * A warm, shuffled epoch from the disk tier, with its files in the page cache, against a bare loop that copies the same
 * samples in the same order from a mapped file. The time to open the tier is measured, too.
 */
public final class DiskEpochs {

    private static final int REOPENED_BYTES = 1024;

    private DiskEpochs() {}

    public static void run(Bench bench) {
        ScratchFolder.with(folder -> epochs(MeasuredEpoch.large(bench), 80, bench, folder));
        ScratchFolder.with(folder -> epochs(MeasuredEpoch.small(bench), 40, bench, folder));
        ScratchFolder.with(folder -> reopen(bench.choose(1_000_000, 300_000), bench, folder));
    }

    private static ChronicleOptions cache(Path folder, int samples, int sampleBytes) {
        return ChronicleTier.at(folder.resolve("cache")).maxBytes(2L * samples * (sampleBytes + 128));
    }

    private static void epochs(MeasuredEpoch epoch, double mustReach, Bench bench, Path folder) throws IOException {
        try (Tier tier = cache(folder, epoch.samples(), epoch.sampleBytes()).open()) {
            Dataset<Tensor> cached = epoch.records().cache(tier, MeasuredEpoch.SCHEMA);
            bench.progress("filling the cache with " + epoch);
            for (int i = 0; i < epoch.samples(); i++) {
                cached.get(i).block();
            }
            long before = tier.statistics().misses();
            BareLoop file = BareLoop.overOneFile(folder.resolve("plain"), epoch);
            Rounds rounds = epoch.against(List.of(file), cached, bench);
            bench.atMost(
                    0,
                    epoch + ": misses while warm",
                    (double) (tier.statistics().misses() - before),
                    "");
            bench.found(epoch + ": bare loop, mapped file", epoch.gigabytes(rounds.median(1)), "GB/s");
            double share = 100 * rounds.medianRatio(1, 0);
            bench.atLeast(mustReach, epoch + ": of the loop over a mapped file", share, "%");
        }
    }

    private static void reopen(int samples, Bench bench, Path folder) {
        ChronicleOptions cache = cache(folder, samples, REOPENED_BYTES);
        bench.progress("disk: filling a cache of %,d samples", samples);
        try (Tier tier = cache.open()) {
            ByteBuffer value = ByteBuffer.allocateDirect(REOPENED_BYTES);
            for (int i = 0; i < samples; i++) {
                tier.put(SampleKey.of("reopened").with(i), Encoded.of(value), Entry.UNKNOWN)
                        .block();
            }
        }
        Rounds rounds =
                bench.rounds("disk: opening", 1, bench.choose(7, 3), List.of(() -> openSeconds(cache, samples)));
        String what = "opening %,d samples of %,d B, a million".formatted(samples, REOPENED_BYTES);
        bench.atMost(1, what, rounds.median(0) / samples * 1e6, "s");
    }

    private static double openSeconds(ChronicleOptions cache, int samples) {
        long started = System.nanoTime();
        try (Tier tier = cache.open()) {
            double seconds = Seconds.since(started);
            if (tier.statistics().samples() != samples) {
                throw new IllegalStateException(
                        "opened %d samples of %d".formatted(tier.statistics().samples(), samples));
            }
            return seconds;
        }
    }
}
