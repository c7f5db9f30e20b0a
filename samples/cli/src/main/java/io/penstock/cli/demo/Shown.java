package io.penstock.cli.demo;

import io.penstock.augment.Augment;
import io.penstock.augment.BoxMove;
import io.penstock.augment.JointAugment;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A sample with what it was before augmentation.
 *
 * @param before as it comes from the cache
 * @param after  the same, augmented: what is delivered
 * @param moves  what became of the boxes; none while it is not augmented
 */
record Shown(Scene before, Scene after, List<BoxMove> moves) {

    /** Not augmented yet. */
    static Shown of(Scene scene) {
        return new Shown(scene, scene, List.of());
    }

    Shown augmented(JointAugment<Scene> by, RandomGenerator random) {
        Augment.Parameters drawn = by.draw(before, random);
        return new Shown(before, by.apply(before, drawn), by.boxes(before, drawn));
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
