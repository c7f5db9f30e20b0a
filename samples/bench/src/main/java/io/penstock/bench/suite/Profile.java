package io.penstock.bench.suite;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.Benchmark;
import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import io.penstock.bench.MadeRecords;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.order.Sampler;
import io.penstock.pictures.PictureFolder;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Where the time of warm and of cold epochs goes, by the JDK's flight recorder. */
public final class Profile implements Benchmark {

    private static final int FRAMES = 8;
    private static final int SIDE = 224;
    private static final int BATCH = 64;

    private final Schema<Tensor> schema = Schema.tensor("bytes");

    /** Work that may be stopped. */
    @FunctionalInterface
    private interface Epoch {
        void run(long number) throws IOException;
    }

    @Override
    public String name() {
        return "profile";
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    public List<Result> run(BenchOptions options) {
        return ScratchFolder.with(folder -> {
            List<Result> results = new ArrayList<>();
            results.addAll(warm(options, options.choose(4_000, 1_000), 150_528, BATCH));
            results.addAll(warm(options, options.choose(400_000, 50_000), 1024, 256));
            results.addAll(cold(options, folder));
            return results;
        });
    }

    private List<Result> warm(BenchOptions options, int samples, int sampleBytes, int batch) throws IOException {
        try (Tier tier = RamTier.ofBytes((long) samples * (sampleBytes + 256))) {
            Dataset<Tensor> cached = new MadeRecords(samples, sampleBytes).cache(tier, schema);
            return profiled(
                    options, "warm RAM epochs, %,d B".formatted(sampleBytes), number -> epoch(cached, number, batch));
        }
    }

    private List<Result> cold(BenchOptions options, Path folder) throws IOException {
        Path pictures = options.pictures();
        if (pictures == null) {
            pictures = Files.createDirectory(folder.resolve("pictures"));
            PictureFolder.write(pictures, options.choose(1_000, 200)).blockLast();
        }
        ImageDecoder decoder = ImageDecoder.fastest();
        Resize resize = Resize.exact(SIDE, SIDE);
        Dataset<Tensor> decoded =
                ImageFolder.open(pictures).map("decode " + decoder.id(), file -> decoder.decode(file.bytes(), resize));
        long room = 2 * decoded.size() * (3L * SIDE * SIDE + 512) + (64L << 20);
        Path cache = folder.resolve("cache");
        return profiled(options, "first epochs, JPEG to a disk cache", number -> {
            try (Tier tier = ChronicleTier.at(cache).maxBytes(room).open()) {
                epoch(decoded.cache(tier, schema), number, BATCH);
            }
            ScratchFolder.delete(cache);
        });
    }

    private void epoch(Dataset<Tensor> dataset, long seed, int batch) {
        dataset.stream(Sampler.shuffled(seed).epochs(1))
                .transform(Batches.of(batch, schema))
                .doOnNext(Batch::close)
                .blockLast();
    }

    private List<Result> profiled(BenchOptions options, String what, Epoch epoch) throws IOException {
        options.progress().accept("profile: warming up, " + what);
        until(Duration.ofSeconds(options.choose(5, 1)), epoch);
        options.progress().accept("profile: recording, " + what);
        FrameCounts counts = FrameCounts.during(() -> until(Duration.ofSeconds(options.choose(20, 2)), epoch));
        List<Result> results = new ArrayList<>();
        counts.shares().stream()
                .limit(FRAMES)
                .forEach(frame ->
                        results.add(Result.of(what + ": " + frame.name(), 100 * frame.share(), "%")));
        results.add(Result.of(what + ": processor time not seen, mostly copies", 100 * counts.unseen(), "%"));
        results.add(Result.of(what + ": looks at running threads", (double) counts.total(), "looks"));
        return results;
    }

    private static void until(Duration time, Epoch epoch) throws IOException {
        long began = System.nanoTime();
        for (long number = 0; System.nanoTime() - began < time.toNanos(); number++) {
            epoch.run(number);
        }
    }
}
