package io.penstock.batch;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies a row into a batch in another {@link RowForm}. Planes are made block by block: a block of pixels is read, and
 * each channel of it written, while it is in the L1 cache. Used by one thread at a time.
 */
final class RowCopy {

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int BLOCK = 12 << 10;

    private byte[] pixels = {};
    private byte[] plane = {};

    /** Elements from {@code from} on, as {@code i64}. */
    static void longs(Tensor tensor, int from, int count, ByteBuffer target, int at) {
        for (int i = 0; i < count; i++) {
            LONGS.set(target, at + i * Long.BYTES, tensor.longAt(from + i));
        }
    }

    /** {@code [h, w, c]}, or several after one another, into the corner of planes of at least that size. */
    void planes(Tensor tensor, Shape largest, ByteBuffer target, int at) {
        Shape shape = tensor.shape();
        if (shape.elements() == 0) {
            return;
        }
        int axis = shape.rank() - 3;
        int images = axis == 0 ? 1 : (int) shape.dim(0);
        int height = (int) shape.dim(axis);
        int width = (int) shape.dim(axis + 1);
        int channels = (int) shape.dim(axis + 2);
        int element = tensor.dtype().bytes();
        int rowBytes = (int) largest.dim(axis + 1) * element;
        int planeBytes = (int) largest.dim(axis) * rowBytes;
        boolean whole = width * element == rowBytes; // the rows of a plane follow one another
        int runs = whole ? 1 : height;
        int run = whole ? height * width : width;
        Planes planes = new Planes(tensor.data(), target, channels, element, planeBytes);
        int read = 0;
        for (int image = 0; image < images; image++) {
            int start = at + image * (int) largest.dim(axis + 2) * planeBytes;
            for (int y = 0; y < runs; y++, read += run * channels * element) {
                copy(planes, read, run, start + y * rowBytes);
            }
        }
    }

    private record Planes(ByteBuffer source, ByteBuffer target, int channels, int element, int planeBytes) {}

    /** Copies a number of pixels that follow one another in the source and in each plane. */
    private void copy(Planes planes, int from, int count, int at) {
        int element = planes.element();
        int pixelBytes = planes.channels() * element;
        int block = Math.max(1, BLOCK / pixelBytes);
        if (pixels.length < block * pixelBytes) {
            pixels = new byte[block * pixelBytes];
        }
        if (plane.length < block * element) {
            plane = new byte[block * element];
        }
        for (int done = 0; done < count; done += block) {
            int taken = Math.min(block, count - done);
            planes.source().get(from + done * pixelBytes, pixels, 0, taken * pixelBytes);
            for (int channel = 0; channel < planes.channels(); channel++) {
                gather(channel * element, pixelBytes, taken, element);
                int to = at + channel * planes.planeBytes() + done * element;
                planes.target().put(to, plane, 0, taken * element);
            }
        }
    }

    private void gather(int first, int stride, int count, int element) {
        byte[] in = pixels;
        byte[] out = plane;
        if (element == 1) {
            for (int i = 0, at = first; i < count; i++, at += stride) {
                out[i] = in[at];
            }
        } else if (element == Integer.BYTES) {
            for (int i = 0, at = first; i < count; i++, at += stride) {
                INTS.set(out, i * Integer.BYTES, (int) INTS.get(in, at));
            }
        } else {
            for (int i = 0, at = first; i < count; i++, at += stride) {
                System.arraycopy(in, at, out, i * element, element);
            }
        }
    }
}
