package io.penstock.augment;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.random.RandomGenerator;

/**
 * Mirrors an image left to right, with some probability.
 *
 * <p>Shapes: any dtype {@code [h, w, c]} is kept. Draws one number. An image that is not flipped is returned without a
 * copy.
 */
public final class HorizontalFlip implements ImageTransform<HorizontalFlip.Flip> {

    private final double probability;

    /** Whether to flip. */
    public record Flip(boolean flipped) {}

    private HorizontalFlip(double probability) {
        this.probability = probability;
    }

    /**
     * A flip with this probability.
     * @throws IllegalArgumentException unless {@code 0 <= probability <= 1}
     */
    public static HorizontalFlip of(double probability) {
        RandomNumbers.requireProbability("flip", probability);
        return new HorizontalFlip(probability);
    }

    @Override
    public Flip draw(Shape shape, RandomGenerator random) {
        return new Flip(RandomNumbers.chance(random, probability));
    }

    @Override
    public Tensor apply(Tensor image, Flip drawn) {
        return new Pass(CroppedRows.whole(image)).flipped(drawn.flipped).run();
    }

    @Override
    public String name() {
        return "flip=" + AugmentWord.text(probability);
    }

    @Override
    public String toString() {
        return name();
    }
}
