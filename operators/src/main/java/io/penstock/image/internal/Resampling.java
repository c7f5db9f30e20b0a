package io.penstock.image.internal;

import io.penstock.tensor.Tensor;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * Resizes with an antialiased bilinear filter, rows first: the triangle filter of Pillow's {@code BILINEAR} and of
 * torchvision with {@code antialias=True}.
 *
 * <p>Bytes are rounded after each of the two passes, so a value differs by at most 1 from the exact filter. The weights
 * are integers that sum to a power of two, so the result is the same on every machine, and an image of one colour keeps
 * it.
 */
public final class Resampling {

    private static final int FLOAT_BITS = 30;

    private Resampling() {}

    /**
     * Resizes bytes.
     * @param extentHeight the height of the image in rows of the source: fewer than there are if the image was decoded
     *     at a reduced scale and its last row reaches over the edge
     * @param extentWidth the same in columns
     */
    public static Tensor bytes(PixelRows source, double extentHeight, double extentWidth, int height, int width) {
        try (Scratch scratch = Scratch.take()) {
            PixelRows shorter = RowPass.resize(source, extentHeight, height, scratch::rows);
            PixelRows columns = Transposition.of(shorter, scratch::columns);
            PixelRows narrower = RowPass.resize(columns, extentWidth, width, scratch::rows);
            return Transposition.of(narrower, byte[]::new).toTensor();
        }
    }

    /** Resizes the floats that four bytes each make. */
    public static Tensor floats(PixelRows source, int height, int width) {
        int channels = source.channels() / Float.BYTES;
        FloatBuffer data =
                source.toTensor().data().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
        float[] values = new float[data.remaining()];
        data.get(values);
        float[] shorter = resize(values, source.height(), height, source.width() * channels);
        return Tensor.ofFloats(resize(shorter, source.width(), width, channels), height, width, channels);
    }

    /** Resizes the middle axis of {@code [n, inputs, step]}. */
    private static float[] resize(float[] values, int inputs, int outputs, int step) {
        ResizeWeights weights = ResizeWeights.of(inputs, inputs, outputs, FLOAT_BITS);
        int blocks = values.length / (inputs * step);
        float[] resized = new float[Math.multiplyExact(blocks * outputs, step)];
        for (int i = 0; i < blocks * outputs; i++) {
            int out = i % outputs;
            for (int tap = 0; tap < weights.count(out); tap++) {
                float weight = weights.value(out, tap) * 0x1p-30f;
                int from = (i / outputs * inputs + weights.first(out) + tap) * step;
                for (int k = 0; k < step; k++) {
                    resized[i * step + k] += values[from + k] * weight;
                }
            }
        }
        return resized;
    }
}
