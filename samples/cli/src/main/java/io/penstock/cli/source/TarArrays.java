package io.penstock.cli.source;

import io.penstock.array.NpyFile;
import io.penstock.fault.FormatException;
import io.penstock.image.Resize;
import io.penstock.shard.TarSample;
import io.penstock.shard.TarSamples;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tar samples that are not images or bytes but arrays, as {@code materialize --to tar:} writes them: {@link TarParts} read
 * the other way. The first sample decides for all.
 *
 * @param first the first sample
 */
record TarArrays(TarSamples samples, TarSample first) {

    private static final String PIXELS = TarParts.array(TarParts.PIXELS);
    private static final String VALUES = TarParts.array(TarParts.VALUES);
    private static final List<String> IMAGES = List.of("jpg", "jpeg", "png", "webp", "bmp", "gif");
    private static final int CHANNELS = 3;

    static TarArrays of(TarSamples samples) {
        return new TarArrays(samples, Sources.firstReadable(samples));
    }

    boolean hasPictures() {
        return first.parts().containsKey(PIXELS);
    }

    Cacheable<Picture> pictures(@Nullable Integer side) {
        String stage = PIXELS + " and cls";
        if (side == null) {
            return new Cacheable<>(
                    samples.map(stage, TarArrays::picture),
                    Schema.of(Picture.class),
                    Cacheable.BESIDE + (long) first.part(PIXELS).byteSize());
        }
        Resize resize = Resize.exact(side, side);
        return new Cacheable<>(
                samples.map(stage + ", " + resize, sample -> picture(sample).with(resize)),
                Schema.of(Picture.class),
                Cacheable.pictureBytes(side));
    }

    private static Picture picture(TarSample sample) {
        Tensor pixels = array(sample, PIXELS);
        if (pixels.dtype() != DType.U8
                || pixels.shape().rank() != 3
                || pixels.shape().dim(2) != CHANNELS) {
            throw new FormatException("part \"%s\" of sample \"%s\" must be u8[h, w, 3], was %s%s"
                    .formatted(PIXELS, sample.key(), pixels.dtype(), pixels.shape()));
        }
        return new Picture(pixels, label(sample));
    }

    /** The array {@code values.npy}, or else the bytes of the first part. */
    Cacheable<Tensor> tensors() {
        return first.parts().containsKey(VALUES)
                ? new Cacheable<>(
                        samples.map(VALUES, sample -> array(sample, VALUES)), Schema.tensor(TarParts.VALUES), 0)
                : new Cacheable<>(samples.map("first part", TarArrays::first), Schema.tensor(TarParts.BYTES), 0);
    }

    private static Tensor array(TarSample sample, String part) {
        Tensor bytes = sample.parts().get(part);
        if (bytes == null) {
            throw new FormatException("sample \"%s\" has no part \"%s\", only %s"
                    .formatted(sample.key(), part, sample.parts().keySet()));
        }
        return NpyFile.decode(bytes, "%s.%s".formatted(sample.key(), part));
    }

    /** The picture among its parts, by WebDataset's extensions. */
    static Tensor image(TarSample sample) {
        for (String extension : IMAGES) {
            Tensor part = sample.parts().get(extension);
            if (part != null) {
                return part;
            }
        }
        throw new FormatException("sample \"%s\" has no image, only %s"
                .formatted(sample.key(), sample.parts().keySet()));
    }

    /** The number in its {@code cls} part; 0 where it has none. */
    static int label(TarSample sample) {
        Tensor part = sample.parts().get(TarParts.CLASS_PART);
        if (part == null) {
            return 0;
        }
        String text = part.toText().trim();
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new FormatException(
                    "part \"%s\" of sample \"%s\" must be a number, was \"%s\""
                            .formatted(TarParts.CLASS_PART, sample.key(), text),
                    e);
        }
    }

    /** The bytes of its first part, in the order in which they lie in the archive. */
    static Tensor first(TarSample sample) {
        return sample.parts().values().iterator().next();
    }
}
