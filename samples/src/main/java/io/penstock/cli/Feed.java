package io.penstock.cli;

import io.penstock.augment.Augment;
import io.penstock.augment.AugmentSpec;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Fingerprint;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.Tier;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A source with its stages on it.
 *
 * @param source       the fingerprint of the source alone
 * @param pipeline     all stages
 * @param schema       of what it delivers
 * @param randomStages the names of those behind which nothing can be cached
 * @param cachedBytes  that a sample takes in a cache, about; 0 where it is not known beforehand
 */
record Feed<T>(Fingerprint source, Pipeline<T> pipeline, Schema<T> schema, Set<String> randomStages, long cachedBytes) {

    /** Opens what the flags name; lists the folder or asks for the file's size. */
    static Feed<?> open(StreamOptions options, @Nullable Tier cache) {
        return Cacheable.hasPictures(options.source(), options.resize())
                ? pictures(options, cache)
                : tensors(options, cache);
    }

    private static Feed<Tensor> tensors(StreamOptions options, @Nullable Tier cache) {
        if (options.augment() != null) {
            throw new IllegalArgumentException(
                    "--resize and --augment are for images; other samples are delivered as they are");
        }
        Cacheable<Tensor> samples = Cacheable.tensors(options.source(), options.resize(), directory(options));
        return of(samples, samples.in(cache, options.verifyHits()), Set.of());
    }

    private static Feed<Picture> pictures(StreamOptions options, @Nullable Tier cache) {
        Cacheable<Picture> decoded = Cacheable.pictures(options.source(), options.resize(), directory(options));
        Dataset<Picture> kept = decoded.in(cache, options.verifyHits());
        if (options.augment() == null) {
            return of(decoded, kept, Set.of());
        }
        Augment augment = AugmentSpec.parse(options.augment());
        Pipeline<Picture> augmented = kept.augment(
                augment.name(), (picture, random) -> picture.with(pixels -> augment.apply(pixels, random)));
        return of(decoded, augmented, Set.of(augment.name()));
    }

    private static @Nullable Path directory(StreamOptions options) {
        DiskSpec disk = options.cacheDisk();
        return disk == null ? null : disk.directory();
    }

    private static <T> Feed<T> of(Cacheable<T> base, Pipeline<T> pipeline, Set<String> randomStages) {
        return new Feed<>(base.source(), pipeline, base.schema(), randomStages, base.sampleBytes());
    }
}
