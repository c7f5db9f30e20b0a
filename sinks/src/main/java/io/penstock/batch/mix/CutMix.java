package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
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
 * <p>Shapes: images {@code [n, h, w]} or {@code [n, h, w, c]} of any dtype are kept; labels become
 * {@code f32[n, classes]}. Rows that are padding take no part: their images stay and their labels are zeros. Immutable.
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
        Tensor pixels = batch.tensor(images);
        double share = MixDice.beta(alpha, random);
        double down = random.nextDouble();
        double right = random.nextDouble();
        int[] partners = MixDice.partners(batch.size(), random);
        if (partners.length == 0) {
            return Map.of(labels.field(), labels.mixed(batch, partners, 1, memory));
        }
        Cut cut = Cut.of(share, down, right, images, pixels);
        return Map.of(
                images,
                cut.pasted(pixels, partners, memory),
                labels.field(),
                labels.mixed(batch, partners, cut.kept(), memory));
    }

    private record Cut(int top, int left, int bottom, int right, int h, int w) {

        /** The rectangle of this share around a centre, of images of this shape. */
        static Cut of(double kept, double down, double right, String field, Tensor pixels) {
            Shape shape = pixels.shape();
            if (shape.rank() != 3 && shape.rank() != 4) {
                throw new IllegalArgumentException("cutmix needs images [n, h, w] or [n, h, w, c], field \"%s\" is %s"
                        .formatted(field, pixels.type()));
            }
            int h = Math.toIntExact(shape.dim(1));
            int w = Math.toIntExact(shape.dim(2));
            double side = StrictMath.sqrt(1 - kept);
            int halfHeight = (int) (h * side / 2);
            int halfWidth = (int) (w * side / 2);
            int y = (int) (down * h);
            int x = (int) (right * w);
            return new Cut(
                    Math.max(0, y - halfHeight),
                    Math.max(0, x - halfWidth),
                    Math.min(h, y + halfHeight),
                    Math.min(w, x + halfWidth),
                    h,
                    w);
        }

        double kept() {
            return 1 - (double) (bottom - top) * (right - left) / ((double) h * w);
        }

        Tensor pasted(Tensor pixels, int[] partners, IntFunction<ByteBuffer> memory) {
            ByteBuffer source = pixels.data();
            ByteBuffer target = memory.apply(pixels.byteSize());
            target.put(0, source, 0, pixels.byteSize());
            int image = pixels.byteSize() / Math.toIntExact(pixels.shape().dim(0));
            int line = image / h;
            int pixel = line / w;
            for (int row = 0; row < partners.length; row++) {
                for (int y = top; y < bottom; y++) {
                    int at = y * line + left * pixel;
                    target.put(row * image + at, source, partners[row] * image + at, (right - left) * pixel);
                }
            }
            return Tensor.of(pixels.dtype(), pixels.shape(), target);
        }
    }

    @Override
    public String toString() {
        return "cutmix " + alpha;
    }
}
