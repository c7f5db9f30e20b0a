package io.penstock.bench.caching;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.DistantFiles;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.pictures.Photograph;
import io.penstock.pictures.PictureFolder;
import io.penstock.pipeline.Dataset;
import io.penstock.store.http.HttpOptions;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * JPEG files of a user, or generated ones.
 *
 * @param given a folder of class folders, if any
 * @param count how many are used
 */
record Pictures(@Nullable Path given, int count) {

    static final int SIDE = 224;
    static final int BYTES = SIDE * SIDE * 3;
    private static final Resize RESIZE = Resize.exact(SIDE, SIDE);

    static Pictures of(BenchOptions options, int max) {
        Path given = options.pictures();
        return new Pictures(
                given,
                given == null
                        ? max
                        : (int) Math.min(max, ImageFolder.open(given).size()));
    }

    String described() {
        String files = given == null ? "made-up photographs of about 533 x 400" : "JPEG files of " + given;
        return "%d %s decoded and resized to %d x %d".formatted(count, files, SIDE, SIDE);
    }

    /** The folder of the pictures; generated ones are written below the scratch folder. */
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

    /** Decoded and resized by the fastest decoder. */
    Dataset<Tensor> decoded(Path folder) {
        ImageDecoder decoder = ImageDecoder.fastest();
        return ImageFolder.open(folder)
                .slice(0, count)
                .map("decode " + decoder.id() + ", resize", file -> decoder.decode(file.bytes(), RESIZE));
    }

    /** Serves a generated picture; the client has this many requests in flight. */
    static DistantFiles distant(Duration latency, int inFlight) {
        return DistantFiles.serve(
                latency,
                Photograph.of(0).jpeg(),
                HttpOptions.standard().connections(inFlight).inFlight(inFlight));
    }

    static Dataset<Tensor> decoded(DistantFiles files, long size) {
        ImageDecoder decoder = ImageDecoder.fastest();
        return files.dataset(size)
                .map(
                        "decode " + decoder.id() + ", resize",
                        bytes -> decoder.decode(Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes), RESIZE));
    }
}
