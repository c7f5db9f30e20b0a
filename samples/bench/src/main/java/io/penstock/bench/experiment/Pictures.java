package io.penstock.bench.experiment;

import io.penstock.bench.Bench;
import io.penstock.bench.DistantFiles;
import io.penstock.folder.ImageFolder;
import io.penstock.folder.LabelledFile;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * JPEG files of a user, or generated ones of about 533 x 400, decoded and resized.
 *
 * @param given a folder of class folders, if any
 * @param count how many are used
 */
public record Pictures(@Nullable Path given, int count) {

    private static final int SIDE = 224;

    /** Of one that is decoded. */
    public static final int BYTES = SIDE * SIDE * 3;

    private static final Resize RESIZE = Resize.exact(SIDE, SIDE);

    public static Pictures of(Bench bench, int max) {
        Path given = bench.pictures();
        return new Pictures(
                given,
                given == null
                        ? max
                        : (int) Math.min(max, ImageFolder.open(given).size()));
    }

    /** Decoded by the fastest decoder; generated ones are written below the scratch folder. */
    public Dataset<Tensor> decoded(Path scratch, Bench bench) throws IOException {
        Path folder = given;
        if (folder == null) {
            folder = Files.createDirectories(scratch.resolve("pictures"));
            PictureFolder.write(folder, count)
                    .doOnNext(written -> bench.progress("drawing pictures: %d of %d", written, count))
                    .blockLast();
        }
        return decoded(ImageFolder.open(folder).slice(0, count), LabelledFile::bytes);
    }

    private static <T> Dataset<Tensor> decoded(Dataset<T> files, Function<T, Tensor> bytes) {
        ImageDecoder decoder = ImageDecoder.fastest();
        return files.map(
                "decode " + decoder.id() + ", resize", file -> decoder.decodeReduced(bytes.apply(file), RESIZE));
    }

    /** Serves a generated picture; the client has this many requests in flight. */
    static DistantFiles distant(Duration latency, int inFlight) {
        return DistantFiles.serve(
                latency,
                Photograph.of(0).jpeg(),
                HttpOptions.standard().connections(inFlight).inFlight(inFlight));
    }

    Dataset<Tensor> decoded(DistantFiles server) {
        return decoded(server.dataset(count), bytes -> Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes));
    }
}
