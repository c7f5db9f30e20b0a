package io.penstock.augment;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Images and random numbers for tests. */
final class TestImages {

    private TestImages() {}

    /** The random numbers of sample {@code index}. */
    static RandomGenerator dice(long index) {
        return new Draw(42, 3, index, Position.START).random("augment");
    }

    /** A {@code u8} image whose bytes count up from 0, as far as bytes count. */
    static Tensor counting(int height, int width, int channels) {
        byte[] values = new byte[height * width * channels];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) i;
        }
        return Tensor.ofBytes(values, height, width, channels);
    }

    /** Noise; floats are in [0, 1). Half of them lie outside the heap, as a cache's do. */
    static Tensor noise(DType dtype, int height, int width, int channels, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int elements = height * width * channels;
        ByteBuffer data = seed % 2 == 0
                ? ByteBuffer.allocate(elements * dtype.bytes())
                : ByteBuffer.allocateDirect(elements * dtype.bytes());
        data.order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < elements; i++) {
            if (dtype == DType.F32) {
                data.putFloat((float) random.nextDouble());
            } else {
                for (int k = 0; k < dtype.bytes(); k++) {
                    data.put((byte) random.nextInt());
                }
            }
        }
        return Tensor.of(dtype, Shape.of(height, width, channels), data.flip());
    }

    /** A {@code u8} image of these values, in [0, 255]. */
    static Tensor image(int height, int width, int channels, int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return Tensor.ofBytes(bytes, height, width, channels);
    }

    /** All elements, in C order. */
    static double[] values(Tensor tensor) {
        double[] values = new double[(int) tensor.shape().elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = tensor.doubleAt(i);
        }
        return values;
    }

    /** One pixel's channel. */
    static double at(Tensor image, int y, int x, int channel) {
        int width = (int) image.shape().dim(1);
        int channels = (int) image.shape().dim(2);
        return image.doubleAt((y * width + x) * channels + channel);
    }

    /** Random numbers that count how often they are asked, and are only ever asked for longs. */
    static final class Counting implements RandomGenerator {

        private final RandomGenerator dice;
        private int count;

        Counting(long index) {
            this.dice = dice(index);
        }

        @Override
        public long nextLong() {
            count++;
            return dice.nextLong();
        }

        int count() {
            return count;
        }
    }
}
