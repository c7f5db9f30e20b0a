package io.penstock.train;

import io.penstock.augment.Augment;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.Tensor;
import java.util.function.UnaryOperator;

/**
 * What decides the weights in the end, besides the pictures.
 *
 * @param augment what is done to a picture at random; ends in floats, channels first
 * @param plain   what is done to those of the test
 * @param batch   samples a step
 * @param epochs  over the nine tenths
 * @param seed    of the first weights, the order and the augmentation
 * @param rate    the highest learning rate; it rises for a tenth of the run, and falls along a half cosine to 0 at the
 * end
 */
record TrainingPlan(Augment augment, UnaryOperator<Tensor> plain, int batch, int epochs, long seed, double rate) {

    private static final double WARM_UP = 0.1;

    public TrainingPlan {
        if (batch < 1 || epochs < 1) {
            throw new IllegalArgumentException(
                    "batch and epochs must be at least 1, were %d and %d".formatted(batch, epochs));
        }
        if (!(rate > 0 && rate < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("learning rate must be above 0, was " + rate);
        }
    }

    Pipeline<LabelledPicture> pipeline(LabelledPictures data) {
        return data.training()
                .augment(augment.name(), (picture, random) -> picture.with(pixels -> augment.apply(pixels, random)));
    }

    Sampler sampler() {
        return Sampler.shuffled(seed).epochs(epochs).remainder(Remainder.DROP);
    }

    /**
     * The learning rate after a share of the whole run. It depends on the place in the data alone: a resumed run has
     * it.
     */
    double rate(double done) {
        double warm = Math.min(1, done / WARM_UP);
        return rate * warm * (1 + StrictMath.cos(StrictMath.PI * Math.min(1, done))) / 2;
    }
}
