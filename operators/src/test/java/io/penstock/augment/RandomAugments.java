package io.penstock.augment;

import java.util.SplittableRandom;

/** Augmentations at random. */
final class RandomAugments {

    private static final Change[] MOVES = {
        Change.of(Operation.ROTATE, 0, 180),
        Change.of(Operation.SHEAR_X, 0, 0.5),
        Change.of(Operation.SHEAR_Y, 0, 0.5),
        Change.of(Operation.TRANSLATE_X, 0, 0.5),
        Change.of(Operation.TRANSLATE_Y, 0, 0.5),
        Change.of(Operation.VERTICAL_FLIP),
        Change.of(Operation.PERSPECTIVE, 0, 0.6),
        Change.of(Operation.INVERT).probability(0)
    };

    private RandomAugments() {}

    /** Some that move, for pictures of this size. */
    static Augment geometry(SplittableRandom random, int height, int width) {
        int down = random.nextInt(1, height + 1);
        int right = random.nextInt(1, width + 1);
        Augment augment = switch (random.nextInt(4)) {
            case 0 -> Augment.whole();
            case 1 -> Augment.crop(down, right);
            case 2 ->
                Augment.crop(RandomCrop.of(down, right)
                        .padding(random.nextInt(7), random.nextBoolean() ? Padding.ZERO : Padding.REFLECT));
            default -> Augment.resizedCrop(random.nextInt(4, 80), random.nextInt(4, 80));
        };
        augment = random.nextBoolean() ? augment.flip() : augment;
        return random.nextInt(3) > 0 ? augment : augment.policy(Policy.choose(random.nextInt(1, 4), MOVES));
    }
}
