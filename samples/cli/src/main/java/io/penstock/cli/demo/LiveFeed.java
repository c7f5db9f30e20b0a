package io.penstock.cli.demo;

import io.penstock.annotation.AnnotatedImages;
import io.penstock.augment.AugmentSpec;
import io.penstock.augment.JointAugment;
import io.penstock.cache.Cache;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.RowParts;
import io.penstock.cli.source.SourceSpec;
import io.penstock.cli.source.Sources;
import io.penstock.fault.SampleException;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Mixture;
import io.penstock.pipeline.Pipeline;
import io.penstock.table.Row;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The demo's pipeline, with sources that can be broken and a cache that can be dropped: decode, resize, cache in RAM
 * for half of the pictures and on disk for all, crop, flip and change the colours. Pictures may have masks and boxes.
 */
final class LiveFeed implements AutoCloseable {

    static final int SIDE = 224;
    private static final long SEED = 42;
    private static final String AUGMENT = "resized-crop=200:scale=0.3..1,flip,jitter=0.2,boxes=0.25";
    static final long SAMPLE_BYTES = 4L * SIDE * SIDE + 256; // pixels, mask, and some boxes
    private static final long LEAST_RAM = 1 << 20;
    private static final long LEAST_DISK = 64 << 20;
    private static final double MOST_OF_FREE = 0.5;

    private final List<Breakable<Files>> sources;
    final List<Cacheable.Part> parts; // each source that is mixed; none where there is one
    private final List<Double> weights;
    final Sampler order; // of one epoch
    private final LongAdder decoded = new LongAdder();
    final Cache cache;
    private final Dataset<Shown> cached;
    final Pipeline<Shown> pipeline;
    final JointAugment<Scene> augment = AugmentSpec.parse(AUGMENT).over(Scene.class);

    /** What a source has of a picture, and how it is decoded. */
    private record Files(Row row, Function<Row, Row> decoding) {}

    /**
     * Opens sources of images and a cache.
     * @param from      as {@code --source} says them
     * @param weights   to mix several sources by
     * @param directory for the cache on disk
     * @param skipped   told of each sample that is left out, once
     */
    LiveFeed(List<String> from, List<Double> weights, Path directory, Consumer<? super SampleException> skipped) {
        ImageDecoder decoder = ImageDecoder.fastest();
        List<SourceSpec> specs = from.stream().map(SourceSpec::parse).toList();
        this.sources =
                specs.stream().map(spec -> new Breakable<>(open(spec, decoder))).toList();
        this.weights = weights;
        Sampler shuffled = Sampler.shuffled(SEED);
        Dataset<Files> source = sources.get(0).dataset();
        if (specs.size() == 1) {
            this.parts = List.of();
            this.order = shuffled;
        } else {
            Mixture<Files> mixture = Mixture.of(source, weights.get(0));
            for (int i = 1; i < specs.size(); i++) {
                mixture = mixture.and(sources.get(i).dataset(), weights.get(i));
            }
            source = mixture.dataset();
            this.parts = IntStream.range(0, specs.size())
                    .mapToObj(i -> new Cacheable.Part(
                            specs.get(i).place().toString(),
                            sources.get(i).dataset().size()))
                    .toList();
            this.order = mixture.sampler(shuffled);
        }
        Resize resize = Resize.exact(SIDE, SIDE);
        Dataset<Shown> pictures =
                source.map("decode %s, %s".formatted(decoder.id(), resize), files -> decode(files, resize));
        this.cache = open(source.size() * SAMPLE_BYTES, directory);
        this.cached = pictures.cache(cache, new Shown.Kept());
        this.pipeline = cached.augment(augment.name(), (shown, random) -> shown.augmented(augment, random))
                .onError(ErrorPolicy.skip().quarantine(skipped));
    }

    private static Dataset<Files> open(SourceSpec spec, ImageDecoder decoder) {
        if (spec.kind() != SourceSpec.Kind.IMAGES && !spec.isAnnotated()) {
            throw new IllegalArgumentException(
                    "--page draws images:, pairs:, coco:, voc: and yolo:, not %s".formatted(spec.words()));
        }
        AnnotatedImages images = Sources.annotated(spec, null);
        Function<Row, Row> decoding = images.decoding(decoder::decode, decoder::decodeStored);
        return images.map("files", row -> new Files(row, decoding));
    }

    private Shown decode(Files files, Resize resize) {
        try {
            return Shown.of(Scene.of(resize.apply(RowParts.of(files.decoding.apply(files.row)))));
        } finally {
            decoded.increment();
        }
    }

    private static Cache open(long bytes, Path directory) {
        long free = RamTier.freeBytes().orElse(Long.MAX_VALUE);
        long ram = Math.max(LEAST_RAM, Math.min(bytes / 2, (long) (MOST_OF_FREE * free)));
        RamTier memory = RamTier.ofBytes(ram);
        try {
            // three times, so that there is room while what was dropped is still being given back
            return Cache.of(
                    memory,
                    ChronicleTier.at(directory)
                            .maxBytes(Math.max(LEAST_DISK, 3 * bytes))
                            .open());
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
    }

    /** Forgets everything that was kept; how many samples that were. What is loaded meanwhile may stay. */
    long dropCache() {
        long held = held();
        for (long index = 0; index < cached.size(); index++) {
            cache.remove(cached.id(index).key());
        }
        return held;
    }

    private long held() {
        return cache.tiers().stream()
                .mapToLong(tier -> tier.statistics().samples())
                .max()
                .orElse(0);
    }

    double weight(int source) {
        return weights.get(source)
                / weights.stream().mapToDouble(Double::doubleValue).sum();
    }

    void become(Breakable.Health health) {
        sources.forEach(source -> source.become(health));
    }

    Breakable.Health health() {
        return sources.get(0).now;
    }

    List<Long> waiting() {
        return sources.stream().map(Breakable::waiting).toList();
    }

    /** Samples that the source brought and that wait for a worker to decode them, or are with one. */
    long decoding() {
        long done = decoded.sum(); // first, so that it is never the larger
        return sources.stream().mapToLong(source -> source.loaded.sum()).sum() - done;
    }

    @Override
    public void close() {
        cache.close();
    }
}
