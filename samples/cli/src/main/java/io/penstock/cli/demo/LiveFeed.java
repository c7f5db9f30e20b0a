package io.penstock.cli.demo;

import io.penstock.annotation.AnnotatedImages;
import io.penstock.augment.AugmentSpec;
import io.penstock.augment.JointAugment;
import io.penstock.cache.Cache;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.cli.source.Cacheable;
import io.penstock.fault.SampleException;
import io.penstock.folder.ImageFolder;
import io.penstock.folder.LabelledFile;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.order.Sampler;
import io.penstock.pictures.PictureFolder;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Join;
import io.penstock.pipeline.Mixture;
import io.penstock.pipeline.Pipeline;
import io.penstock.store.FileStore;
import io.penstock.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The demo's pipeline, with sources that can be broken and a cache that can be dropped: decode, resize, cache in RAM
 * for half of the pictures and on disk for all, crop, flip and change the colours. Pictures may have masks of objects.
 */
final class LiveFeed implements AutoCloseable {

    static final int SIDE = 224;
    private static final long SEED = 42;
    private static final String AUGMENT = "resized-crop=200:scale=0.3..1,flip,jitter=0.2,boxes=0.25";
    private static final long SAMPLE_BYTES = 4L * SIDE * SIDE + 256; // pixels, mask, and some boxes
    private static final long LEAST_RAM = 1 << 20;
    private static final long LEAST_DISK = 64 << 20;
    private static final double MOST_OF_FREE = 0.5;

    private final List<Breakable<Masked>> sources;
    private final List<Cacheable.Part> parts;
    private final List<Double> weights;
    private final Sampler order;
    private final LongAdder decoded = new LongAdder();
    private final Cache cache;
    private final Dataset<Shown> cached;
    private final Pipeline<Shown> pipeline;
    private final JointAugment<Scene> augment = AugmentSpec.parse(AUGMENT).over(Scene.class);

    /** Files of a picture. */
    private record Masked(LabelledFile picture, @Nullable Tensor mask) {}

    /**
     * Lists folders of class folders and opens a cache.
     * @param weights   to mix several folders by
     * @param directory for the cache on disk
     * @param skipped   told of each sample that is left out, once
     */
    LiveFeed(List<Path> folders, List<Double> weights, Path directory, Consumer<? super SampleException> skipped) {
        this.sources =
                folders.stream().map(folder -> new Breakable<>(open(folder))).toList();
        this.weights = weights;
        Sampler shuffled = Sampler.shuffled(SEED);
        Dataset<Masked> source = sources.get(0).dataset();
        if (folders.size() == 1) {
            this.parts = List.of();
            this.order = shuffled;
        } else {
            Mixture<Masked> mixture = Mixture.of(source, weights.get(0));
            for (int i = 1; i < folders.size(); i++) {
                mixture = mixture.and(sources.get(i).dataset(), weights.get(i));
            }
            source = mixture.dataset();
            this.parts = IntStream.range(0, folders.size())
                    .mapToObj(i -> new Cacheable.Part(
                            "images:" + folders.get(i), sources.get(i).dataset().size()))
                    .toList();
            this.order = mixture.sampler(shuffled);
        }
        ImageDecoder decoder = ImageDecoder.fastest();
        Resize resize = Resize.exact(SIDE, SIDE);
        Dataset<Shown> pictures = source.map(
                "decode %s reduced, %s".formatted(decoder.id(), resize), files -> decode(decoder, resize, files));
        this.cache = open(source.size() * SAMPLE_BYTES, directory);
        this.cached = pictures.cache(cache, new Shown.Kept());
        this.pipeline = cached.augment(
                        augment.name(), (shown, random) -> shown.augmented(scene -> augment.apply(scene, random)))
                .onError(ErrorPolicy.skip().quarantine(skipped));
    }

    /** The pictures of class folders, each with the mask of its name where there is one. */
    private static Dataset<Masked> open(Path folder) {
        ImageFolder pictures = ImageFolder.open(folder);
        Path beside = folder.resolve(PictureFolder.MASKS);
        if (!Files.isDirectory(beside)) {
            return pictures.map("bare", file -> new Masked(file, null));
        }
        AnnotatedImages masks = AnnotatedImages.bare(FileStore.open(beside));
        Join byName = Join.left().by(i -> withoutExtension(pictures.name(i)), i -> withoutExtension(masks.name(i)));
        return pictures.join(
                "masked", masks, byName, (file, mask) -> new Masked(file, mask == null ? null : mask.tensor("image")));
    }

    private static String withoutExtension(String name) {
        return name.substring(0, name.lastIndexOf('.'));
    }

    private Shown decode(ImageDecoder decoder, Resize resize, Masked files) {
        try {
            return Shown.of(Scene.of(files.picture, files.mask, decoder, resize));
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

    /** Each source that is mixed; none where there is one. */
    List<Cacheable.Part> parts() {
        return parts;
    }

    /** A source's share of the weights. */
    double weight(int source) {
        return weights.get(source)
                / weights.stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Of one epoch. */
    Sampler order() {
        return order;
    }

    void become(Breakable.Health health) {
        sources.forEach(source -> source.become(health));
    }

    Breakable.Health health() {
        return sources.get(0).health();
    }

    /** Samples of each source that were asked for and did not come yet. */
    List<Long> waiting() {
        return sources.stream().map(Breakable::waiting).toList();
    }

    Cache cache() {
        return cache;
    }

    Pipeline<Shown> pipeline() {
        return pipeline;
    }

    /** Samples that the source brought and that wait for a worker to decode them, or are with one. */
    long decoding() {
        long done = decoded.sum(); // first, so that it is never the larger
        return sources.stream().mapToLong(Breakable::loaded).sum() - done;
    }

    Set<String> randomStages() {
        return Set.of(augment.name());
    }

    static long bytesInCache() {
        return SAMPLE_BYTES;
    }

    @Override
    public void close() {
        cache.close();
    }
}
