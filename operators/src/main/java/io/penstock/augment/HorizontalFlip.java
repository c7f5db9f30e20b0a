package io.penstock.augment;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.random.RandomGenerator;

/**
 * Mirrors an image left to right, with some probability.
 *
 * <p>Shapes: any dtype {@code [h, w, c]} stays what it is. Draws one number. An image that is not flipped is returned as
 * it is, without a copy.
 */
public final class HorizontalFlip implements ImageTransform<HorizontalFlip.Flip> {

    private final double probability;

    /** Whether to flip. */
    public record Flip(boolean flipped) {}

    private HorizontalFlip(double probability) {
        this.probability = probability;
    }

    /**
     * A flip of so many images out of one.
     * @throws IllegalArgumentException unless {@code 0 <= probability <= 1}
     */
    public static HorizontalFlip of(double probability) {
        Dice.requireProbability("flip", probability);
        return new HorizontalFlip(probability);
    }

    @Override
    public Flip draw(Shape shape, RandomGenerator random) {
        return new Flip(Dice.chance(random, probability));
    }

    @Override
    public Tensor apply(Tensor image, Flip drawn) {
        return new Pass(CroppedRows.whole(image)).flipped(drawn.flipped).run();
    }

    @Override
    public String name() {
        return "flip=" + Words.number(probability);
    }

    @Override
    public String toString() {
        return name();
    }
}
