package io.penstock.image.internal;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Rows of interleaved pixels, in a Java array or in native memory.
 *
 * @param data little-endian, read at absolute indices
 * @param stride the bytes from one row to the next
 * @param channels the bytes of a pixel
 */
public record PixelRows(ByteBuffer data, int stride, int height, int width, int channels) {

    public static final int MAX_BYTES = Integer.MAX_VALUE - 64;

    /** The rows of an image. An element of several bytes counts as several channels. */
    public static PixelRows of(Tensor image) {
        int width = (int) image.shape().dim(1);
        int channels = (int) image.shape().dim(2) * image.dtype().bytes();
        return new PixelRows(image.data(), width * channels, (int) image.shape().dim(0), width, channels);
    }

    /**
     * The rows of an image, for an operation named by this verb.
     * @throws IllegalArgumentException if it is not {@code u8[h, w, c]} or has no pixels
     */
    public static PixelRows ofBytes(Tensor image, String verb) {
        if (image.dtype() != DType.U8 || image.shape().rank() != 3) {
            throw new IllegalArgumentException("cannot %s %s; it takes u8[h, w, c]".formatted(verb, image.type()));
        }
        if (image.shape().elements() == 0) {
            throw new IllegalArgumentException("cannot %s %s: it has no pixels".formatted(verb, image.type()));
        }
        return of(image);
    }

    public static PixelRows of(byte[] pixels, int stride, int height, int width, int channels) {
        ByteBuffer data = ByteBuffer.wrap(pixels).order(ByteOrder.LITTLE_ENDIAN);
        return new PixelRows(data, stride, height, width, channels);
    }

    /** A rectangle of the same pixels, without a copy. */
    public PixelRows part(int top, int left, int partHeight, int partWidth) {
        int from = top * stride + left * channels;
        int length = (partHeight - 1) * stride + partWidth * channels;
        return new PixelRows(data.slice(from, length), stride, partHeight, partWidth, channels);
    }

    /** The rows as one image, which shares their bytes if these are on the heap and have no gaps. */
    public Tensor toTensor() {
        if (!data.isDirect() && stride == rowBytes()) {
            return Tensor.of(DType.U8, Shape.of(height, width, channels), data.slice(0, height * stride));
        }
        byte[] pixels = new byte[arrayLength((long) height * rowBytes())];
        for (int row = 0; row < height; row++) {
            data.get(row * stride, pixels, row * rowBytes(), rowBytes());
        }
        return Tensor.ofBytes(pixels, height, width, channels);
    }

    int rowBytes() {
        return width * channels;
    }

    /** Copies one row, four bytes an element; the last element may end in zeros. */
    void copyRow(int row, int[] into) {
        int whole = rowBytes() >>> 2;
        int at = row * stride;
        data.slice(at, whole * 4).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(into, 0, whole);
        if (whole < into.length) {
            int last = 0;
            for (int i = rowBytes() - 1; i >= whole * 4; i--) {
                last = last << 8 | data.get(at + i) & 0xFF;
            }
            into[whole] = last;
        }
    }

    static int arrayLength(long bytes) {
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("an image has at most %d bytes, wanted %d".formatted(MAX_BYTES, bytes));
        }
        return (int) bytes;
    }
}
