package io.penstock.cli.demo;

import io.penstock.cli.source.Picture;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;

/**
 * A sample with what it was before augmentation.
 *
 * @param before as it comes from the cache
 * @param after  the same, augmented: what is delivered
 */
record Shown(Scene before, Scene after) {

    /** Not augmented yet. */
    static Shown of(Scene scene) {
        return new Shown(scene, scene);
    }

    Shown augmented(UnaryOperator<Scene> augment) {
        return new Shown(before, augment.apply(before));
    }

    Picture delivered() {
        return new Picture(after.pixels().tensor(), after.label());
    }

    /** What a cache keeps of one that is not augmented. */
    static final class Kept implements Codec<Shown> {

        private final Schema<Scene> schema = Schema.of(Scene.class);

        @Override
        public String id() {
            return schema.id();
        }

        @Override
        public Encoded encode(Shown value) {
            return schema.encode(value.before());
        }

        @Override
        public Shown decode(ByteBuffer bytes) {
            return Shown.of(schema.decode(bytes));
        }
    }
}
