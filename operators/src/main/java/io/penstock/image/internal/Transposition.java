package io.penstock.image.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.IntFunction;

/** Swaps rows and columns, in tiles that fit the L1 cache. */
final class Transposition {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int TILE = 64;

    private Transposition() {}

    /**
     * Pixel (y, x) of rows in an array becomes (x, y). The result has no gaps between rows.
     * @param arrays gives an array of at least a given length
     */
    static PixelRows of(PixelRows rows, IntFunction<byte[]> arrays) {
        int height = rows.height();
        int width = rows.width();
        byte[] transposed = arrays.apply(PixelRows.arrayLength((long) rows.rowBytes() * height));
        byte[] source = rows.data().array();
        for (int left = 0; left < width; left += TILE) {
            int right = Math.min(width, left + TILE);
            for (int top = 0; top < height; top += TILE) {
                int bottom = Math.min(height, top + TILE);
                for (int x = left; x < right; x++) {
                    if (rows.channels() == 3) {
                        gather3(source, x * 3, rows.stride(), top, bottom, transposed, x * height * 3);
                    } else {
                        gather(source, x, rows.channels(), rows.stride(), top, bottom, transposed, x * height);
                    }
                }
            }
        }
        return PixelRows.of(
                transposed, height * rows.channels(), /* height= */ width, /* width= */ height, rows.channels());
    }

    /** Copies four bytes for each pixel; the next pixel overwrites the fourth. The last pixel is copied by bytes. */
    private static void gather3(byte[] source, int x, int stride, int top, int bottom, byte[] target, int column) {
        int last = bottom - 1;
        int from = top * stride + x;
        for (int y = top; y < last; y++, from += stride) {
            INT.set(target, column + y * 3, (int) INT.get(source, from));
        }
        for (int i = 0; i < 3; i++) {
            target[column + last * 3 + i] = source[from + i];
        }
    }

    private static void gather(
            byte[] source, int x, int channels, int stride, int top, int bottom, byte[] target, int column) {
        for (int y = top; y < bottom; y++) {
            for (int i = 0; i < channels; i++) {
                target[(column + y) * channels + i] = source[y * stride + x * channels + i];
            }
        }
    }
}
