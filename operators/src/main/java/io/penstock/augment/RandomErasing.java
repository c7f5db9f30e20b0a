package io.penstock.augment;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a random rectangle of an image by one value or by noise, with some probability.
 *
 * <p>Areas, as shares of the image's, are uniform in {@code scale}. Ratios, height by width, are uniform in the
 * logarithm over {@code ratio}. The defaults are torchvision's. The first of ten tries that is smaller than the image
 * in both directions is taken; if none is, nothing is erased, so that images of a few pixels are erased less often than the
 * probability says, those of one row or column never. Always draws 24 numbers.
 *
 * <p>Shapes: {@code u8} or {@code f32[h, w, c]} is kept. An image of which nothing is erased is returned without a
 * copy. All channels are erased, alpha too.
 * @see <a href="https://arxiv.org/abs/1708.04896">Zhong et al., Random erasing data augmentation</a>
 */
public final class RandomErasing implements ImageTransform<RandomErasing.Erasure> {

    private static final Rectangles USUAL = new Rectangles(0.02, 0.33, 0.3, 3.3);

    private final double probability;
    private final Rectangles rectangles; // of the transposed image: their ratios are height by width
    private final double @Nullable [] value; // for each channel, or one for all; null is noise

    private RandomErasing(double probability, Rectangles rectangles, double @Nullable [] value) {
        this.probability = probability;
        this.rectangles = rectangles;
        this.value = value;
    }

    /**
     * Erases with this probability: 0.02 to 0.33 of the area, ratios from 0.3 to 3.3, to zeros.
     * @throws IllegalArgumentException unless {@code 0 <= probability <= 1}
     */
    public static RandomErasing of(double probability) {
        RandomNumbers.requireProbability("erase", probability);
        return new RandomErasing(probability, USUAL, new double[] {0});
    }

    /**
     * The same with another range of areas, as shares of the image's.
     * @throws IllegalArgumentException unless {@code 0 < low <= high <= 1}
     */
    public RandomErasing scale(double low, double high) {
        return new RandomErasing(probability, rectangles.scale("erase scale", low, high), value);
    }

    /**
     * The same with another range of ratios, height by width.
     * @throws IllegalArgumentException unless {@code 0 < low <= high <= 1000}
     */
    public RandomErasing ratio(double low, double high) {
        return new RandomErasing(probability, rectangles.ratio("erase ratio", low, high), value);
    }

    /**
     * The same with this value for each channel, or one for all.
     * @throws IllegalArgumentException if there is none, or one is not finite
     */
    public RandomErasing value(double... channels) {
        if (channels.length == 0 || !Arrays.stream(channels).allMatch(Double::isFinite)) {
            throw new IllegalArgumentException(
                    "erase value must be one finite number for each channel, or one for all, was "
                            + Arrays.toString(channels));
        }
        return new RandomErasing(probability, rectangles, channels.clone());
    }

    /** The same with noise: bytes are uniform, floats close to normal with mean 0 and deviation 1. */
    public RandomErasing noise() {
        return new RandomErasing(probability, rectangles, null);
    }

    @Override
    public Erasure draw(Shape shape, RandomGenerator random) {
        return draw(Image.of(shape), random);
    }

    Erasure draw(Image image, RandomGenerator random) {
        boolean erases = RandomNumbers.chance(random, probability);
        Image turned = image.transposed();
        Region drawn = rectangles.draw(turned, turned.height() - 1, turned.width() - 1, random);
        long noise = random.nextLong();
        return !erases || drawn.isEmpty() ? Erasure.NONE : new Erasure(drawn.transposed(), noise);
    }

    @Override
    public Tensor apply(Tensor image, Erasure drawn) {
        CroppedRows rows = CroppedRows.whole(image);
        return new Pass(rows).erased(eraser(image.dtype(), rows.size(), drawn)).run();
    }

    /** The eraser for an image of this kind; null if there is nothing to erase. */
    @Nullable Eraser eraser(DType dtype, Image image, Erasure drawn) {
        if (dtype != DType.U8 && dtype != DType.F32) {
            throw new IllegalArgumentException(
                    "cannot erase from %s%s; it takes u8 or f32".formatted(dtype, image.shape()));
        }
        if (!drawn.region().fits(image, 0)) {
            throw new IllegalArgumentException(
                    "cannot erase %s from %s; draw it for an image of this size".formatted(drawn.region(), image));
        }
        byte[] pixel = value == null ? new byte[0] : pixel(dtype, image, value);
        return drawn.region().isEmpty() ? null : new Eraser(drawn, dtype, image.channels(), pixel);
    }

    private static byte[] pixel(DType dtype, Image image, double[] value) {
        if (value.length != 1 && value.length != image.channels()) {
            throw new IllegalArgumentException(
                    "cannot erase with %d values from %s%s; give one, or one for each channel"
                            .formatted(value.length, dtype, image.shape()));
        }
        ByteBuffer pixel = ByteBuffer.allocate(image.channels() * dtype.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int channel = 0; channel < image.channels(); channel++) {
            double one = value[value.length == 1 ? 0 : channel];
            if (dtype == DType.F32) {
                pixel.putFloat((float) one);
            } else if (one >= 0 && one <= 255) {
                pixel.put((byte) Math.rint(one));
            } else {
                throw new IllegalArgumentException(
                        "erase value for u8 must be in [0, 255], was " + AugmentWord.text(one));
            }
        }
        return pixel.array();
    }

    @Override
    public String name() {
        String filled = value == null ? ":noise" : ":value=" + AugmentWord.text(value, "/");
        String words = rectangles.words(USUAL) + (filled.equals(":value=0") ? "" : filled);
        return "erase=" + AugmentWord.text(probability) + words;
    }

    @Override
    public String toString() {
        return name();
    }

    /**
     * The erased rectangle of one image.
     *
     * @param region the pixels; empty for none
     * @param noise  the key of the noise, if they are filled with noise
     */
    public record Erasure(Region region, long noise) {

        /** Nothing is erased. */
        public static final Erasure NONE = new Erasure(Region.EMPTY, 0);
    }

    /**
     * Overwrites the erased pixels of a row. Noise is a function of (key, row, position in the row), from its own
     * generator: it takes one number of the draw's generator, the key, for a rectangle of any size.
     */
    static final class Eraser {

        private static final VarHandle LONGS =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
        private static final VarHandle FLOATS =
                MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);
        private static final long GOLDEN = 0x9E3779B97F4A7C15L;

        private final Region region;
        private final long key;
        private final DType dtype;
        private final int pixelBytes;
        private final byte[] pixel; // empty for noise

        Eraser(Erasure drawn, DType dtype, int channels, byte[] pixel) {
            this.region = drawn.region();
            this.key = drawn.noise();
            this.dtype = dtype;
            this.pixelBytes = channels * dtype.bytes();
            this.pixel = pixel;
        }

        /** Erases the pixels of the rectangle in a row whose elements begin at {@code at}. */
        void erase(int row, byte[] out, int at) {
            if (row < region.top() || row >= region.top() + region.height()) {
                return;
            }
            int from = at + region.left() * pixelBytes;
            int to = from + region.width() * pixelBytes;
            if (pixel.length > 0) {
                fill(out, from, to);
            } else if (dtype == DType.U8) {
                bytes(mix(key + row * GOLDEN), out, from, to);
            } else {
                floats(mix(key + row * GOLDEN), out, from, to);
            }
        }

        private void fill(byte[] out, int from, int to) {
            System.arraycopy(pixel, 0, out, from, pixelBytes);
            for (int done = pixelBytes; done < to - from; done *= 2) {
                System.arraycopy(out, from, out, from + done, Math.min(done, to - from - done));
            }
        }

        private static void bytes(long start, byte[] out, int from, int to) {
            long state = start;
            int i = from;
            for (; i <= to - Long.BYTES; i += Long.BYTES) {
                LONGS.set(out, i, mix(state += GOLDEN));
            }
            for (long rest = mix(state + GOLDEN); i < to; i++, rest >>>= Byte.SIZE) {
                out[i] = (byte) rest;
            }
        }

        /** The sum of eight uniform bytes has mean 1020 and variance 8 · (2^16 − 1) / 12, and is close to normal. */
        private static void floats(long start, byte[] out, int from, int to) {
            float scale = (float) (1 / Math.sqrt(8 * 65535 / 12.0));
            long state = start;
            for (int i = from; i < to; i += Float.BYTES) {
                FLOATS.set(out, i, (sumOfBytes(mix(state += GOLDEN)) - 1020) * scale);
            }
        }

        private static int sumOfBytes(long word) {
            long pairs = (word & 0x00FF_00FF_00FF_00FFL) + (word >>> 8 & 0x00FF_00FF_00FF_00FFL);
            return (int) ((pairs * 0x0001_0001_0001_0001L) >>> 48);
        }

        /** The finaliser of SplitMix64, as in the generators of the draws. */
        static long mix(long word) {
            long z = (word ^ (word >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }
    }
}
