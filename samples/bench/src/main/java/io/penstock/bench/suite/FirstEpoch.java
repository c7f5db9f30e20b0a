package io.penstock.bench.suite;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.Bench;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.bench.Seconds;
import io.penstock.bench.experiment.Pictures;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The processor time, user and system, of a first epoch of decoded and resized JPEG files with an empty disk cache and
 * without a cache, in turn. For comparison, as many bytes are written to a plain file.
 */
public final class FirstEpoch {

    private static final int BATCH = 64;

    /** Compiling dominates until some 10,000 samples are written. */
    private static final int WARM_UP = 8;

    private static final long BUDGET = 16L << 30;
    private static final Schema<Tensor> SCHEMA = Schema.tensor("pixels");

    private FirstEpoch() {}

    public static void run(Bench bench) {
        bench.progress("first-epoch: preparing pictures");
        int max = bench.pictures() == null ? bench.choose(2_000, 600) : Integer.MAX_VALUE;
        ScratchFolder.with(folder -> measure(Pictures.of(bench, max).decoded(folder, bench), bench, folder));
    }

    private static void measure(Dataset<Tensor> decoded, Bench bench, Path folder) {
        Rounds rounds = bench.rounds(
                "first-epoch",
                WARM_UP,
                bench.choose(45, 15), // many: processor time on a shared machine varies by several percent
                List.of(
                        () -> Seconds.ofProcessor(() -> epoch(decoded)),
                        () -> kept(decoded, folder.resolve("cache")),
                        () -> written(decoded.size(), folder.resolve("file"))));
        double micros = 1e6 / decoded.size();
        bench.found("no cache, a sample", rounds.median(0) * micros, "µs");
        bench.found("disk cache, a sample", rounds.median(1) * micros, "µs");
        bench.found("writing a sample's bytes to a plain file", rounds.median(2) * micros, "µs");
        bench.found("writing, of the epoch", 100 * rounds.medianRatio(2, 0), "%");
        bench.found("more with a disk cache, lower quartile", 100 * rounds.ratio(1, 0, 0.25) - 100, "%");
        bench.found("more with a disk cache, upper quartile", 100 * rounds.ratio(1, 0, 0.75) - 100, "%");
        bench.atMost(1.5, "more with a disk cache", 100 * rounds.medianRatio(1, 0) - 100, "%");
    }

    private static double kept(Dataset<Tensor> decoded, Path cache) {
        double seconds = Seconds.ofProcessor(() -> {
            try (Tier tier = ChronicleTier.at(cache).maxBytes(BUDGET).open()) {
                epoch(decoded.cache(tier, SCHEMA));
            }
        });
        ScratchFolder.delete(cache);
        return seconds;
    }

    private static void epoch(Dataset<Tensor> dataset) {
        dataset.stream(Sampler.shuffled(1).epochs(1))
                .transform(Batches.of(BATCH, SCHEMA))
                .doOnNext(Batch::close)
                .blockLast();
    }

    private static double written(long samples, Path file) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(Pictures.BYTES);
        double seconds = Seconds.ofProcessor(() -> {
            try (FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                for (long i = 0; i < samples; i++) {
                    channel.write(bytes.clear());
                }
            }
        });
        ScratchFolder.delete(file);
        return seconds;
    }
}
