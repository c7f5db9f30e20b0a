package io.penstock.cli.source;

import io.penstock.cache.Cache;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.HitCheck;
import io.penstock.cache.Producer;
import io.penstock.fault.FormatException;
import io.penstock.folder.LabelledFile;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.pipeline.Dataset;
import io.penstock.shard.TarSamples;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A source with the stages that depend on the sample alone: what goes into a cache.
 *
 * @param source      the fingerprint of the source alone
 * @param dataset     with these stages
 * @param schema      of its samples, which is the cache's codec too
 * @param sampleBytes that a sample takes in a cache, about; 0 where it is not known beforehand
 * @param classes     how many samples each has, in the order of the labels; empty where that is not known
 */
public record Cacheable<T>(
        Fingerprint source, Dataset<T> dataset, Schema<T> schema, long sampleBytes, Map<String, Integer> classes) {

    /** What a cache keeps beside a sample's bytes: its layout, its key. */
    static final int BESIDE = 96;

    private static final int CHANNELS = 3;

    /** Samples that are loaded to see how large they are. */
    private static final int SOME = 32;

    Cacheable(Fingerprint source, Dataset<T> dataset, Schema<T> schema, long sampleBytes) {
        this(source, dataset, schema, sampleBytes, Map.of());
    }

    /**
     * Opens what the flags name: lists the folder or asks for the file's size.
     * @param cache the directory of the cache on disk, for what is kept beside the samples; null where there is none
     * @throws IllegalArgumentException if the flags do not fit together
     */
    public static Cacheable<?> open(SourceSpec source, @Nullable Integer resize, @Nullable Path cache) {
        return Cacheable.<Cacheable<?>>open(source, resize, cache, pictures -> pictures, tensors -> tensors);
    }

    /** As {@link #open}, for who goes on differently with pictures than with other samples. */
    public static <R> R open(
            SourceSpec source,
            @Nullable Integer resize,
            @Nullable Path cache,
            Function<Cacheable<Picture>, R> ofPictures,
            Function<Cacheable<Tensor>, R> ofTensors) {
        if (source instanceof SourceSpec.Images images) {
            Sources.LabelledImages found = Sources.images(images);
            return ofPictures.apply(pictures(found.files(), found.classes(), resize));
        }
        if (source instanceof SourceSpec.Tar tar) {
            TarSamples samples = Sources.tar(tar, cache);
            TarArrays arrays = TarArrays.of(samples);
            if (arrays.hasPictures()) {
                return ofPictures.apply(arrays.pictures(resize));
            }
            return resize == null
                    ? ofTensors.apply(arrays.tensors())
                    : ofPictures.apply(pictures(labelled(samples), Map.of(), resize));
        }
        return ofTensors.apply(tensors(source, resize));
    }

    private static Cacheable<Tensor> tensors(SourceSpec source, @Nullable Integer resize) {
        if (resize != null) {
            throw new IllegalArgumentException(
                    "--resize and --augment are for images; other samples are delivered as they are");
        }
        Dataset<Tensor> samples = Sources.tensors(source);
        long bytes = source instanceof SourceSpec.Records records ? records.recordBytes() + (long) BESIDE : 0;
        return new Cacheable<>(samples.fingerprint(), samples, Schema.tensor(Sources.field(source)), bytes);
    }

    private static Dataset<LabelledFile> labelled(TarSamples samples) {
        return samples.map(
                "image and cls",
                sample -> new LabelledFile(sample.key(), TarPictures.image(sample), TarPictures.label(sample)));
    }

    private static Cacheable<Picture> pictures(
            Dataset<LabelledFile> files, Map<String, Integer> classes, @Nullable Integer resize) {
        return new Cacheable<>(
                files.fingerprint(),
                decoded(files, ImageDecoder.fastest(), resize),
                Schema.of(Picture.class),
                pictureBytes(resize),
                classes);
    }

    /** What a picture takes in a cache; 0 where it is not known beforehand. */
    static long pictureBytes(@Nullable Integer side) {
        return side == null ? 0 : (long) side * side * CHANNELS + BESIDE;
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

    /** Behind a cache, if there is one, with hits checked if that is wanted. */
    public Dataset<T> in(@Nullable Cache cache, @Nullable HitCheck check) {
        if (cache == null) {
            return dataset;
        }
        return check == null ? dataset.cache(cache, schema) : dataset.cache(cache, schema, check);
    }

    /**
     * The same with the bytes of a sample known: if need be by loading some. Blocks.
     * Broken samples are passed over, which are broken for every rank; what merely cannot be read now is not, since
     * ranks that saw different samples would cut different shards.
     * @throws FormatException if all of them are broken
     */
    public Cacheable<T> measured() {
        long size = dataset.size();
        if (sampleBytes > 0 || size == 0) {
            return this;
        }
        long some = Math.min(size, SOME);
        LongSummaryStatistics bytes = Flux.range(0, (int) some)
                .concatMap(number -> encodedBytes(size / some * number))
                .collect(LongSummaryStatistics::new, LongSummaryStatistics::accept)
                .block();
        if (bytes == null || bytes.getCount() == 0) {
            throw new FormatException("cannot see how large samples are: none of %d can be read".formatted(some));
        }
        return new Cacheable<>(source, dataset, schema, bytes.getSum() / bytes.getCount() + BESIDE, classes);
    }

    private Mono<Long> encodedBytes(long index) {
        return dataset.get(index)
                .map(value -> (long) schema.encode(value).length())
                .onErrorResume(
                        e -> e instanceof FormatException || e.getCause() instanceof FormatException,
                        e -> Mono.empty());
    }

    /** As whom a cache knows it. */
    public Producer producer() {
        return Dataset.producer(dataset, schema);
    }
}
