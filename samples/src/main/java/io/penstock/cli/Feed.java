package io.penstock.cli;

import io.penstock.augment.Augment;
import io.penstock.augment.AugmentSpec;
import io.penstock.folder.ImageFolder;
import io.penstock.folder.LabelledFile;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Fingerprint;
import io.penstock.pipeline.HitCheck;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.Tier;
import io.penstock.records.RecordFiles;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
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

    /** What a cache keeps beside a sample's bytes: its layout, its key. */
    private static final int BESIDE = 96;

    private static final int CHANNELS = 3;

    /** Opens what the flags name; lists the folder or asks for the file's size. */
    static Feed<?> open(StreamOptions options, @Nullable Tier cache) {
        if (options.source() instanceof SourceSpec.Images images) {
            return images(images, options, cache);
        }
        return records((SourceSpec.Records) options.source(), options, cache);
    }

    private static Feed<Tensor> records(SourceSpec.Records source, StreamOptions options, @Nullable Tier cache) {
        if (options.resize() != null || options.augment() != null) {
            throw new IllegalArgumentException(
                    "--resize and --augment are for images; records are delivered as they are");
        }
        Schema<Tensor> schema = Schema.tensor("bytes");
        Dataset<Tensor> records = RecordFiles.open(source.file(), source.recordBytes());
        Dataset<Tensor> kept = cached(records, cache, schema, options);
        return new Feed<>(records.fingerprint(), kept, schema, Set.of(), source.recordBytes() + BESIDE);
    }

    private static Feed<Picture> images(SourceSpec.Images source, StreamOptions options, @Nullable Tier cache) {
        Dataset<LabelledFile> files = ImageFolder.open(source.folder());
        Schema<Picture> schema = Schema.of(Picture.class);
        Dataset<Picture> decoded = decoded(files, ImageDecoder.fastest(), options.resize());
        Dataset<Picture> kept = cached(decoded, cache, schema, options);
        long cachedBytes =
                options.resize() == null ? 0 : (long) options.resize() * options.resize() * CHANNELS + BESIDE;
        if (options.augment() == null) {
            return new Feed<>(files.fingerprint(), kept, schema, Set.of(), cachedBytes);
        }
        Augment augment = AugmentSpec.parse(options.augment());
        Pipeline<Picture> augmented = kept.augment(
                augment.name(), (picture, random) -> picture.with(pixels -> augment.apply(pixels, random)));
        return new Feed<>(files.fingerprint(), augmented, schema, Set.of(augment.name()), cachedBytes);
    }

    private static <T> Dataset<T> cached(
            Dataset<T> dataset, @Nullable Tier cache, Schema<T> schema, StreamOptions options) {
        if (cache == null) {
            return dataset;
        }
        HitCheck check = options.verifyHits();
        return check == null ? dataset.cache(cache, schema) : dataset.cache(cache, schema, check);
    }

    private static Dataset<Picture> decoded(Dataset<LabelledFile> files, ImageDecoder decoder, @Nullable Integer side) {
        if (side == null) {
            return files.map("decode " + decoder.id(), file -> new Picture(decoder.decode(file.bytes()), file.label()));
        }
        Resize resize = Resize.exact(side, side);
        return files.map(
                "decode %s reduced, %s".formatted(decoder.id(), resize),
                file -> new Picture(decoder.decodeReduced(file.bytes(), resize), file.label()));
    }
}
