package io.penstock.bench.caching;

import io.penstock.bench.BenchOptions;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.pictures.PictureFolder;
import io.penstock.pipeline.Dataset;
import io.penstock.store.Store;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * JPEG files of a user, or made-up ones where there are none.
 *
 * @param given a folder of class folders, if any
 * @param count how many are used
 */
record Pictures(@Nullable Path given, int count) {

    static final int SIDE = 224;
    static final int BYTES = SIDE * SIDE * 3;

    static Pictures of(BenchOptions options, int most) {
        Path given = options.pictures();
        return new Pictures(
                given,
                given == null
                        ? most
                        : (int) Math.min(most, ImageFolder.open(given).size()));
    }

    /** What they are, in words. */
    String described() {
        String files = given == null ? "made-up photographs of about 533 x 400" : "JPEG files of " + given;
        return "%d %s decoded and resized to %d x %d".formatted(count, files, SIDE, SIDE);
    }

    /** The folder that they are in, made in another one if there is none. */
    Path in(Path scratch, Consumer<String> progress) {
        if (given != null) {
            return given;
        }
        Path made = scratch.resolve("pictures");
        try {
            Files.createDirectories(made);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        PictureFolder.write(made, count)
                .doOnNext(written -> progress.accept("drawing pictures: %d of %d".formatted(written, count)))
                .blockLast();
        return made;
    }

    /** Decoded and resized by the fastest decoder there is. */
    Dataset<Tensor> decoded(Path folder) {
        return decoded(ImageFolder.open(folder));
    }

    /** The same from another store than a folder. */
    Dataset<Tensor> decoded(Store store) {
        return decoded(ImageFolder.open(store));
    }

    private Dataset<Tensor> decoded(ImageFolder folder) {
        ImageDecoder decoder = ImageDecoder.fastest();
        Resize resize = Resize.exact(SIDE, SIDE);
        return folder.slice(0, count)
                .map("decode " + decoder.id() + ", resize", file -> decoder.decode(file.bytes(), resize));
    }
}
