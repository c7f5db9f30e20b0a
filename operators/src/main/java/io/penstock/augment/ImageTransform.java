package io.penstock.augment;

import io.penstock.order.Draw;
import io.penstock.pipeline.RandomTransform;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.random.RandomGenerator;

/**
 * A random transform of images in two steps: drawing parameters, which can be inspected and kept, and applying them.
 *
 * <p>Implementations are immutable and thread-safe. {@code draw} always takes the same number of random numbers, so the
 * next transform in a chain does not depend on the result of this one.
 * @param <P> the parameters
 */
public interface ImageTransform<P extends Record> extends RandomTransform<Tensor> {

    /**
     * The parameters for one image of this shape, {@code [h, w, c]}.
     * @throws IllegalArgumentException if no parameters would fit such an image
     */
    P draw(Shape shape, RandomGenerator random);

    /**
     * The parameters that a stage of this {@link #name} draws for an image of this shape. Tells afterwards how a sample
     * was augmented, without the sample.
     * @throws IllegalArgumentException as {@link #draw(Shape, RandomGenerator)}
     */
    default P draw(Shape shape, Draw draw) {
        return draw(shape, draw.random(name()));
    }

    /**
     * Applies these parameters; returns a new tensor, or the same one if nothing changes.
     * @throws IllegalArgumentException if the image is of another kind, or the parameters do not fit it
     */
    Tensor apply(Tensor image, P drawn);

    /** The kind and all parameters, in the form that {@link AugmentSpec} reads: a good name for the stage. */
    String name();

    @Override
    default Tensor apply(Tensor image, RandomGenerator random) {
        return apply(image, draw(image.shape(), random));
    }
}
