package io.penstock.train;

import io.penstock.array.ArrayRows;
import io.penstock.array.LabelledRow;
import io.penstock.cache.Cache;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.internal.FileErrors;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
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
public record LabelledPictures(
        Dataset<LabelledPicture> training, Dataset<LabelledPicture> test, int size, int channels, int classes) {

    private static final String IDX_IMAGES = "images-idx3-ubyte";
    private static final String IDX_LABELS = "labels-idx1-ubyte";
    private static final int MOST_CLASSES = 10_000;
    private static final int LABELS_AT_ONCE = 64;

    /**
     * Opens a folder of class folders of images, or one that holds MNIST's two idx files ({@code *images-idx3-ubyte},
     * {@code *labels-idx1-ubyte}, or with {@code .gz}). Blocks while it lists or reads them.
     * @param resize height and width that images get, null for 32; idx files keep theirs
     * @param cache  where decoded pictures are kept
     * @throws StoreException if there are none
     * @throws IllegalArgumentException if they are too few, or not square
     * @see ShardPictures#open
     */
    public static LabelledPictures open(Path folder, @Nullable Integer resize, Cache cache) {
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

    /** One more than the largest label; looks at all of them. */
    static int classes(long count, LongFunction<Mono<Long>> label) {
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
    static LabelledPictures of(Dataset<LabelledPicture> all, Cache cache, Shape shape, int classes) {
        Dataset<LabelledPicture> test = Tenths.heldBack(all);
        if (test.size() == 0) {
            throw new IllegalArgumentException(
                    "a tenth of the pictures is held back, so at least 10 are needed: %s has %d"
                            .formatted(all, all.size()));
        }
        return new LabelledPictures(
                Tenths.toLearnFrom(all).cache(cache, LabelledPicture.SCHEMA),
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
