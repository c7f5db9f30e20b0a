package io.penstock.train;

import io.penstock.array.ArrayRows;
import io.penstock.array.LabelledRow;
import io.penstock.array.NpyFile;
import io.penstock.cache.Cache;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.internal.FileErrors;
import io.penstock.pipeline.Dataset;
import io.penstock.shard.TarSample;
import io.penstock.shard.TarSamples;
import io.penstock.shard.TarShards;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Pictures of one size with labels, decoded and kept in a cache: nine tenths to learn from, and one to test with.
 *
 * @param training what is learned from
 * @param test     what is not
 * @param size     height and width, in pixels
 * @param channels 1 for grey, 3 for red, green and blue
 * @param classes  how many labels there are
 */
record LabelledPictures(
        Dataset<LabelledPicture> training, Dataset<LabelledPicture> test, int size, int channels, int classes) {

    private static final String IDX_IMAGES = "images-idx3-ubyte";
    private static final String IDX_LABELS = "labels-idx1-ubyte";
    private static final String PIXELS_PART = "pixels.npy";
    private static final String LABEL_PART = "cls";
    private static final int CHANNELS = 3;
    private static final int MOST_CLASSES = 10_000;
    private static final int LABELS_AT_ONCE = 64;

    /**
     * Opens a folder of class folders of images, or one that holds MNIST's two idx files ({@code *images-idx3-ubyte},
     * {@code *labels-idx1-ubyte}, or with {@code .gz}). Blocks while it lists or reads them.
     * @param resize height and width that images get, null for 32; idx files keep theirs
     * @param cache  where decoded pictures are kept
     * @throws StoreException if there are none
     * @throws IllegalArgumentException if they are too few, or not square
     */
    static LabelledPictures open(Path folder, @Nullable Integer resize, Cache cache) {
        List<Path> idx = idxFiles(folder);
        LabelledPictures opened =
                idx.isEmpty() ? images(folder, resize == null ? 32 : resize, cache) : rows(idx, cache);
        if (resize != null && opened.size != resize) {
            throw new IllegalArgumentException("idx files have pictures of one size: %d was asked for, %d is theirs"
                    .formatted(resize, opened.size));
        }
        return opened;
    }

    /** The stage is named as {@code stream} and {@code materialize} name it, so that they have one cache. */
    private static LabelledPictures images(Path folder, int size, Cache cache) {
        ImageFolder files = ImageFolder.open(folder);
        ImageDecoder decoder = ImageDecoder.fastest();
        Resize resize = Resize.exact(size, size);
        Dataset<LabelledPicture> all = files.map(
                "decode %s reduced, %s".formatted(decoder.id(), resize),
                file -> new LabelledPicture(decoder.decodeReduced(file.bytes(), resize), file.label()));
        return of(all, cache, Shape.of(size, size, 3), files.labels().size());
    }

    private static LabelledPictures rows(List<Path> files, Cache cache) {
        ArrayRows pixels = ArrayRows.openIdx(files.get(0));
        ArrayRows labels = ArrayRows.openIdx(files.get(1));
        Shape shape = pixels.shape();
        if (pixels.dtype() != DType.U8 || shape.rank() != 3 || shape.dim(1) != shape.dim(2)) {
            throw new IllegalArgumentException("grey pictures u8[n, size, size] were expected, %s has %s%s"
                    .formatted(files.get(0), pixels.dtype(), shape));
        }
        Dataset<LabelledRow> all = pixels.labelled(labels);
        Shape grey = Shape.of(shape.dim(1), shape.dim(2), 1);
        return of(
                all.map("grey", row -> picture(row, grey)),
                cache,
                grey,
                classes(labels.size(), index -> labels.get(index).map(label -> label.longAt(0))));
    }

    private static LabelledPicture picture(LabelledRow row, Shape shape) {
        return new LabelledPicture(row.row().reshape(shape), Math.toIntExact(row.label()));
    }

    /**
     * Opens the tar shards, with {@code pixels.npy} and {@code cls} of each picture, that a pattern names, such as
     * {@code shards/shard-*.tar}. Blocks while it reads their headers and labels.
     * @param resize height and width that pictures get, null for those they have
     * @param cache  where they are kept
     * @throws io.penstock.fault.StoreException if there are none
     * @throws FormatException if they are no such shards
     * @throws IllegalArgumentException if they are too few, or not square
     */
    static LabelledPictures ofShards(Path pattern, @Nullable Integer resize, Cache cache) {
        TarSamples samples = TarShards.open(pattern).index().parts(PIXELS_PART, LABEL_PART);
        TarSamples labels = samples.parts(LABEL_PART);
        Dataset<LabelledPicture> all = samples.map("pixels and cls", LabelledPictures::shardPicture);
        if (resize == null) {
            return of(
                    all,
                    cache,
                    square(all),
                    classes(labels.size(), index -> labels.get(index).map(LabelledPictures::label)));
        }
        Resize exact = Resize.exact(resize, resize);
        return of(
                all.map(exact.toString(), picture -> picture.with(exact)),
                cache,
                Shape.of(resize, resize, CHANNELS),
                classes(labels.size(), index -> labels.get(index).map(LabelledPictures::label)));
    }

    /** The first picture's shape; that all have it, batches demand. */
    private static Shape square(Dataset<LabelledPicture> all) {
        Shape shape = all.get(0).blockOptional().orElseThrow().pixels().shape();
        if (shape.dim(0) != shape.dim(1)) {
            throw new IllegalArgumentException(
                    "pictures must be square, the first of %s is u8%s; use --resize".formatted(all, shape));
        }
        return shape;
    }

    private static LabelledPicture shardPicture(TarSample sample) {
        Tensor pixels = NpyFile.decode(sample.part(PIXELS_PART), sample.key() + "." + PIXELS_PART);
        Shape shape = pixels.shape();
        if (pixels.dtype() != DType.U8 || shape.rank() != 3 || shape.dim(2) != CHANNELS) {
            throw new FormatException("sample %s must have u8[h, w, 3] in its %s, has %s%s"
                    .formatted(sample.key(), PIXELS_PART, pixels.dtype(), shape));
        }
        return new LabelledPicture(pixels, Math.toIntExact(label(sample)));
    }

    private static long label(TarSample sample) {
        String text = sample.part(LABEL_PART).toText().trim();
        if (!text.matches("\\d{1,9}")) {
            throw new FormatException(
                    "sample %s must have a number in its %s, has \"%s\"".formatted(sample.key(), LABEL_PART, text));
        }
        return Long.parseLong(text);
    }

    /** One more than the largest label; looks at all of them. */
    private static int classes(long count, LongFunction<Mono<Long>> label) {
        long most = Flux.fromStream(LongStream.range(0, count).boxed())
                .flatMap(label::apply, LABELS_AT_ONCE)
                .doOnNext(LabelledPictures::requireClass)
                .reduce(0L, Math::max)
                .blockOptional()
                .orElse(0L);
        return (int) most + 1;
    }

    private static void requireClass(long label) {
        if (label < 0 || label >= MOST_CLASSES) {
            throw new FormatException("labels must be in [0, %d), one is %d".formatted(MOST_CLASSES, label));
        }
    }

    /**
     * Behind a cache, and parted.
     * @throws IllegalArgumentException if they are too few
     */
    private static LabelledPictures of(Dataset<LabelledPicture> all, Cache cache, Shape shape, int classes) {
        Dataset<LabelledPicture> test = new Tenths<>(all, true);
        if (test.size() == 0) {
            throw new IllegalArgumentException(
                    "a tenth of the pictures is held back, so at least 10 are needed: %s has %d"
                            .formatted(all, all.size()));
        }
        return new LabelledPictures(
                new Tenths<>(all, false).cache(cache, LabelledPicture.SCHEMA),
                test.cache(cache, LabelledPicture.SCHEMA),
                Math.toIntExact(shape.dim(0)),
                Math.toIntExact(shape.dim(2)),
                classes);
    }

    /** The pictures' file and the labels', or none. */
    private static List<Path> idxFiles(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().contains(IDX_IMAGES))
                    .sorted()
                    .limit(1)
                    .flatMap(file -> Stream.of(
                            file,
                            file.resolveSibling(file.getFileName().toString().replace(IDX_IMAGES, IDX_LABELS))))
                    .toList();
        } catch (IOException e) {
            throw new StoreException("cannot list %s: %s".formatted(folder, FileErrors.reason(e)), e);
        }
    }
}
