package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

/**
 * Blends each image with another of its batch, and their labels in the same shares: {@code a x + (1 - a) y} with one
 * {@code a} a batch, of the distribution Beta(alpha, alpha), and a random permutation for y.
 *
 * <p>Shapes: images {@code u8} or {@code f32[n, …]} are kept; labels become {@code f32[n, classes]}. Rows that are padding
 * take no part: their images stay and their labels are zeros. Immutable.
 * @see <a href="https://arxiv.org/abs/1710.09412">Zhang et al., mixup: Beyond empirical risk minimization</a>
 */
public final class MixUp implements BatchTransform {

    private final double alpha;
    private final String images;
    private final SoftLabels labels;

    private MixUp(double alpha, String images, SoftLabels labels) {
        this.alpha = MixDice.checked(alpha);
        this.images = images;
        this.labels = labels;
    }

    /**
     * Blends the images of one field and the labels of another.
     * @param alpha   how evenly: 0.2 mostly keeps one image, 1 takes any share as often
     * @param labels  the number of a class in each row, or {@code f32[n, classes]} already
     * @throws IllegalArgumentException unless {@code 0 < alpha <= 1000} and {@code classes >= 1}
     */
    public static MixUp of(double alpha, String images, String labels, int classes) {
        return new MixUp(alpha, images, new SoftLabels(labels, classes));
    }

    @Override
    public Map<String, Tensor> apply(Batch batch, RandomGenerator random, IntFunction<ByteBuffer> memory) {
        float keep = (float) MixDice.beta(alpha, random);
        int[] partners = MixDice.partners(batch.size(), random);
        Tensor pixels = batch.tensor(images);
        return Map.of(
                images,
                blended(pixels, partners, keep, memory),
                labels.field(),
                labels.mixed(batch, partners, keep, memory));
    }

    private Tensor blended(Tensor pixels, int[] partners, float keep, IntFunction<ByteBuffer> memory) {
        if (partners.length == 0) {
            return pixels;
        }
        if (pixels.dtype() != DType.U8 && pixels.dtype() != DType.F32) {
            throw new IllegalArgumentException("mixup blends u8 or f32, field \"%s\" is %s; map it before batching"
                    .formatted(images, pixels.type()));
        }
        ByteBuffer target = memory.apply(pixels.byteSize());
        ByteBuffer source = pixels.data();
        int bytes = pixels.byteSize() / Math.toIntExact(pixels.shape().dim(0));
        for (int row = 0; row < partners.length; row++) {
            ByteBuffer own = source.slice(row * bytes, bytes).order(source.order());
            ByteBuffer other = source.slice(partners[row] * bytes, bytes).order(source.order());
            ByteBuffer to = target.slice(row * bytes, bytes).order(target.order());
            if (pixels.dtype() == DType.U8) {
                blendBytes(own, other, keep, to);
            } else {
                blendFloats(own, other, keep, to);
            }
        }
        int used = partners.length * bytes;
        target.put(used, source, used, pixels.byteSize() - used);
        return Tensor.of(pixels.dtype(), pixels.shape(), target);
    }

    private static void blendBytes(ByteBuffer own, ByteBuffer other, float keep, ByteBuffer to) {
        byte[] a = new byte[own.remaining()];
        byte[] b = new byte[a.length];
        own.get(a);
        other.get(b);
        for (int i = 0; i < a.length; i++) {
            a[i] = (byte) (keep * (a[i] & 0xFF) + (1 - keep) * (b[i] & 0xFF) + 0.5f);
        }
        to.put(a);
    }

    private static void blendFloats(ByteBuffer own, ByteBuffer other, float keep, ByteBuffer to) {
        float[] a = new float[own.remaining() / Float.BYTES];
        float[] b = new float[a.length];
        own.asFloatBuffer().get(a);
        other.asFloatBuffer().get(b);
        for (int i = 0; i < a.length; i++) {
            a[i] = keep * a[i] + (1 - keep) * b[i];
        }
        to.asFloatBuffer().put(a);
    }

    @Override
    public String toString() {
        return "mixup " + alpha;
    }
}
