package io.penstock.image;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Pixels that are read a row at a time, wherever they lie: interleaved channels of one byte each.
 *
 * @param data little-endian, read by absolute places
 * @param stride the bytes from one row to the next
 */
record Rows(ByteBuffer data, int stride, int height, int width, int channels) {

    static Rows of(Tensor image) {
        int width = (int) image.shape().dim(1);
        int channels = (int) image.shape().dim(2);
        return new Rows(image.data(), width * channels, (int) image.shape().dim(0), width, channels);
    }

    static Rows of(byte[] pixels, int stride, int height, int width, int channels) {
        ByteBuffer data = ByteBuffer.wrap(pixels).order(ByteOrder.LITTLE_ENDIAN);
        return new Rows(data, stride, height, width, channels);
    }

    /** The rows as one picture, which shares their bytes where these are on the heap and have no gaps. */
    Tensor toTensor() {
        if (!data.isDirect() && stride == rowBytes()) {
            return Tensor.of(DType.U8, Shape.of(height, width, channels), data.slice(0, height * stride));
        }
        byte[] pixels = new byte[Pixels.arrayLength((long) height * rowBytes())];
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
}
