package io.penstock.train;

import io.penstock.array.NpyFile;
import io.penstock.cache.Cache;
import io.penstock.fault.FormatException;
import io.penstock.image.Resize;
import io.penstock.pipeline.Dataset;
import io.penstock.shard.TarSample;
import io.penstock.shard.TarSamples;
import io.penstock.shard.TarShards;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Pictures that a job decoded beforehand, into tar shards: {@code pixels.npy} and {@code cls} of each. */
public final class ShardPictures {

    private static final String PIXELS = "pixels.npy";
    private static final String LABEL = "cls";
    private static final int CHANNELS = 3;

    private ShardPictures() {}

    /**
     * Opens the shards that a pattern names, such as {@code shards/shard-*.tar}. Blocks while it reads their headers and labels.
     * @param resize height and width that pictures get, null for those they have
     * @param cache  where they are kept
     * @throws io.penstock.fault.StoreException if there are none
     * @throws FormatException if they are no such shards
     * @throws IllegalArgumentException if they are too few, or not square
     */
    public static LabelledPictures open(Path pattern, @Nullable Integer resize, Cache cache) {
        TarSamples samples = TarShards.open(pattern).index().parts(PIXELS, LABEL);
        TarSamples labels = samples.parts(LABEL);
        Dataset<LabelledPicture> all = samples.map("pixels and cls", ShardPictures::picture);
        if (resize == null) {
            return LabelledPictures.of(all, cache, square(all), classes(labels));
        }
        Resize exact = Resize.exact(resize, resize);
        return LabelledPictures.of(
                all.map(exact.toString(), picture -> picture.with(exact)),
                cache,
                Shape.of(resize, resize, CHANNELS),
                classes(labels));
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

    private static LabelledPicture picture(TarSample sample) {
        Tensor pixels = NpyFile.decode(sample.part(PIXELS), sample.key() + "." + PIXELS);
        Shape shape = pixels.shape();
        if (pixels.dtype() != DType.U8 || shape.rank() != 3 || shape.dim(2) != CHANNELS) {
            throw new FormatException("sample %s must have u8[h, w, 3] in its %s, has %s%s"
                    .formatted(sample.key(), PIXELS, pixels.dtype(), shape));
        }
        return new LabelledPicture(pixels, Math.toIntExact(label(sample)));
    }

    private static int classes(TarSamples labels) {
        return LabelledPictures.classes(
                labels.size(), index -> labels.get(index).map(ShardPictures::label));
    }

    private static long label(TarSample sample) {
        String text = sample.part(LABEL).toText().trim();
        if (!text.matches("\\d{1,9}")) {
            throw new FormatException(
                    "sample %s must have a number in its %s, has \"%s\"".formatted(sample.key(), LABEL, text));
        }
        return Long.parseLong(text);
    }
}
