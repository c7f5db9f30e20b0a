package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

/**
 * Replaces a rectangle of each image by that of another of its batch, and mixes the labels by the areas.
 *
 * <p>The rectangle is the same in all images of a batch. Its share of the area is {@code 1 - a}, with {@code a} of the
 * distribution Beta(alpha, alpha), before it is cut off at the border around a centre that is uniform in the image;
 * labels take the area that is left. A random permutation decides the other image.
 *
 * <p>Shapes: images {@code [n, h, w]}, {@code [n, h, w, c]} or {@code [n, c, h, w]} of any dtype and one size are kept; labels
 * become {@code f32[n, classes]}. Rows that are padding take no part: their images stay and their labels are zeros. Immutable.
 * @see <a href="https://arxiv.org/abs/1905.04899">Yun et al., CutMix: Regularization strategy to train strong
 *     classifiers</a>
 */
public final class CutMix implements BatchTransform {

    private final double alpha;
    private final String images;
    private final SoftLabels labels;

    private CutMix(double alpha, String images, SoftLabels labels) {
        this.alpha = MixDice.checked(alpha);
        this.images = images;
        this.labels = labels;
    }

    /**
     * Mixes the images of one field and the labels of another.
     * @param alpha   how evenly: 1 takes any share as often
     * @param labels  the number of a class in each row, or {@code f32[n, classes]} already
     * @throws IllegalArgumentException unless {@code 0 < alpha <= 1000} and {@code classes >= 1}
     */
    public static CutMix of(double alpha, String images, String labels, int classes) {
        return new CutMix(alpha, images, new SoftLabels(labels, classes));
    }

    @Override
    public Map<String, Tensor> apply(Batch batch, RandomGenerator random, IntFunction<ByteBuffer> memory) {
        double share = MixDice.beta(alpha, random);
        double down = random.nextDouble();
        double right = random.nextDouble();
        int[] partners = MixDice.partners(batch.size(), random);
        PixelField pixels = PixelField.of(batch, List.of(images), memory).get(0);
        int height = pixels.height();
        int width = pixels.width();
        double side = StrictMath.sqrt(1 - share);
        int halfHeight = (int) (height * side / 2);
        int halfWidth = (int) (width * side / 2);
        int y = (int) (down * height);
        int x = (int) (right * width);
        int top = Math.max(0, y - halfHeight);
        int left = Math.max(0, x - halfWidth);
        int bottom = Math.min(height, y + halfHeight);
        int end = Math.min(width, x + halfWidth);
        for (int row = 0; row < partners.length; row++) {
            for (int at = top; at < bottom; at++) {
                pixels.copy(partners[row], at, left, row, at, left, end - left);
            }
        }
        double kept = 1 - (double) (bottom - top) * (end - left) / ((double) height * width);
        return Map.of(images, pixels.result(), labels.field(), labels.mixed(batch, partners, kept, memory));
    }

    @Override
    public String toString() {
        return "cutmix " + alpha;
    }
}
