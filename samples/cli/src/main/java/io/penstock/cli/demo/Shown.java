package io.penstock.cli.demo;

import io.penstock.cli.source.Picture;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;

/**
 * A sample with the picture that it was before augmentation.
 *
 * @param before {@code u8[height, width, 3]}, as it comes from the cache
 * @param after  the same, augmented: what is delivered
 * @param label  the number of its class
 */
record Shown(Tensor before, Tensor after, int label) {

    /** Not augmented yet. */
    static Shown of(Picture picture) {
        return new Shown(picture.pixels(), picture.pixels(), picture.label());
    }

    Shown augmented(UnaryOperator<Tensor> augment) {
        return new Shown(before, augment.apply(before), label);
    }

    Picture delivered() {
        return new Picture(after, label);
    }

    /** What a cache keeps of one that is not augmented: its picture and label. */
    static final class Kept implements Codec<Shown> {

        private final Schema<Picture> schema = Schema.of(Picture.class);

        @Override
        public String id() {
            return schema.id();
        }

        @Override
        public Encoded encode(Shown value) {
            return schema.encode(value.delivered());
        }

        @Override
        public Shown decode(ByteBuffer bytes) {
            return Shown.of(schema.decode(bytes));
        }
    }
}
