package io.penstock.augment;

import io.penstock.order.Draw;
import io.penstock.pipeline.RandomTransform;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.random.RandomGenerator;

/**
 * A random transform of images in two steps: drawing parameters, which can be looked at and kept, and applying them.
 *
 * <p>Implementations are immutable and thread-safe, and {@code draw} takes the same number of random numbers whatever
 * comes of them, so that what follows in a chain does not depend on what went before.
 * @param <P> what is drawn
 */
public interface ImageTransform<P extends Record> extends RandomTransform<Tensor> {

    /**
     * The parameters for one image of this shape, {@code [h, w, c]}.
     * @throws IllegalArgumentException if no parameters would fit such an image
     */
    P draw(Shape shape, RandomGenerator random);

    /**
     * The parameters that a stage of this {@link #name} draws for an image of this shape: for looking up later what was done
     * to a sample, without the sample.
     * @throws IllegalArgumentException as {@link #draw(Shape, RandomGenerator)}
     */
    default P draw(Shape shape, Draw draw) {
        return draw(shape, draw.random(name()));
    }

    /**
     * The image under these parameters; a new tensor, or the same one where nothing changes.
     * @throws IllegalArgumentException if the image is not of a kind this handles, or the parameters do not fit it
     */
    Tensor apply(Tensor image, P drawn);

    /** The kind and all parameters, in the form that {@link AugmentSpec} reads: a good name for the stage. */
    String name();

    @Override
    default Tensor apply(Tensor image, RandomGenerator random) {
        return apply(image, draw(image.shape(), random));
    }
}
