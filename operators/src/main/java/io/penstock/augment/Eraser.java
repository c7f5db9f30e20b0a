package io.penstock.augment;

import io.penstock.tensor.DType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Overwrites the erased pixels of a row. Noise is a function of (key, row, position in the row), from its own
 * generator: it takes one number of the draw's generator, the key, for a rectangle of any size.
 */
final class Eraser {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
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
    private static long mix(long word) {
        long z = (word ^ (word >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
