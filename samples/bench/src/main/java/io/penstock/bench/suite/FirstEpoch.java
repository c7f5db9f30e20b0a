package io.penstock.bench.suite;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Garbage;
import io.penstock.bench.ProcessorTime;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.order.Sampler;
import io.penstock.pictures.PictureFolder;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The processor time, user and system, of a first epoch of decoded and resized JPEG files with an empty disk cache and
 * without a cache, in turn. For comparison, as many bytes are written to a plain file.
 */
public final class FirstEpoch implements Benchmark {

    private static final int SIDE = 224;
    private static final int BATCH = 64;

    /** Compiling dominates until some 10,000 samples are written. */
    private static final int WARM_UP = 8;

    private static final long BUDGET = 16L << 30;
    private static final int ROW = 6;

    private final Schema<Tensor> schema = Schema.tensor("pixels");

    @Override
    public String name() {
        return "first-epoch";
    }

    @Override
    public List<String> flags() {
        return Garbage.FLAGS;
    }

    @Override
    public List<Result> run(BenchOptions options) {
        return ScratchFolder.with(folder -> {
            options.progress().accept("first-epoch: preparing pictures");
            Path pictures = options.pictures();
            if (pictures == null) {
                pictures = Files.createDirectory(folder.resolve("pictures"));
                PictureFolder.write(pictures, options.choose(2_000, 600)).blockLast();
            }
            return measure(decoded(pictures), options, folder);
        });
    }

    private static Dataset<Tensor> decoded(Path pictures) {
        ImageDecoder decoder = ImageDecoder.fastest();
        Resize resize = Resize.exact(SIDE, SIDE);
        return ImageFolder.open(pictures)
                .map("decode " + decoder.id(), file -> decoder.decodeReduced(file.bytes(), resize));
    }

    private List<Result> measure(Dataset<Tensor> decoded, BenchOptions options, Path folder) {
        Path cache = folder.resolve("cache");
        Path file = folder.resolve("file");
        Rounds rounds = options.rounds(
                "first-epoch",
                WARM_UP,
                options.choose(45, 15), // many: processor time on a shared machine varies by several percent
                List.of(
                        () -> ProcessorTime.seconds(() -> epoch(decoded)),
                        () -> kept(decoded, cache),
                        () -> written(decoded.size(), file)));
        double micros = 1e6 / decoded.size();
        return List.of(
                Result.of("no cache, a sample", rounds.median(0) * micros, "µs"),
                Result.of("disk cache, a sample", rounds.median(1) * micros, "µs"),
                Result.of("writing a sample's bytes to a plain file", rounds.median(2) * micros, "µs"),
                Result.of("writing, of the epoch", 100 * rounds.medianRatio(2, 0), "%"),
                Result.of("more with a disk cache, lower quartile", more(rounds, 0.25), "%"),
                Result.of("more with a disk cache, upper quartile", more(rounds, 0.75), "%"),
                Result.of("more with a disk cache", more(rounds, 0.5), "%").atMost(ROW, 1.5));
    }

    private static double more(Rounds rounds, double share) {
        return 100 * rounds.ratio(1, 0, share) - 100;
    }

    private double kept(Dataset<Tensor> decoded, Path cache) {
        double seconds = ProcessorTime.seconds(() -> {
            try (Tier tier = ChronicleTier.at(cache).maxBytes(BUDGET).open()) {
                epoch(decoded.cache(tier, schema));
            }
        });
        ScratchFolder.delete(cache);
        return seconds;
    }

    private void epoch(Dataset<Tensor> dataset) {
        dataset.stream(Sampler.shuffled(1).epochs(1))
                .transform(Batches.of(BATCH, schema))
                .doOnNext(Batch::close)
                .blockLast();
    }

    private double written(long samples, Path file) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(SIDE * SIDE * 3);
        try {
            return ProcessorTime.seconds(() -> {
                try (FileChannel channel =
                        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                    for (long i = 0; i < samples; i++) {
                        channel.write(bytes.clear());
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } finally {
            file.toFile().delete();
        }
    }
}
