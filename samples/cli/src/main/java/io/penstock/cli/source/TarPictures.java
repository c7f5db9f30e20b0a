package io.penstock.cli.source;

import io.penstock.fault.FormatException;
import io.penstock.shard.TarSample;
import io.penstock.tensor.Tensor;
import java.util.List;

/** The picture and the label among the parts of a tar sample, by WebDataset's extensions. */
final class TarPictures {

    private static final List<String> IMAGES = List.of("jpg", "jpeg", "png", "webp", "bmp", "gif");
    private static final String LABEL = "cls";

    private TarPictures() {}

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
        Tensor part = sample.parts().get(LABEL);
        if (part == null) {
            return 0;
        }
        String text = part.toText().trim();
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new FormatException(
                    "part \"%s\" of sample \"%s\" must be a number, was \"%s\"".formatted(LABEL, sample.key(), text),
                    e);
        }
    }

    /** The bytes of its first part, in the order in which they lie in the archive. */
    static Tensor first(TarSample sample) {
        return sample.parts().values().iterator().next();
    }
}
