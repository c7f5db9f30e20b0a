package io.penstock.image.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reverses the pixels of a row in place.
 *
 * <p>Pixels of three bytes are swapped eight at a time, from both ends, as blocks of three words. Both blocks are read
 * before either is written, so they may overlap in the middle. Words at a distance of two pixels would be simpler, but
 * each read would wait for the write that it overlaps.
 */
public final class Mirror {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long PIXEL = 0xFF_FFFFL;
    private static final long BYTE = 0xFFL;
    private static final int BLOCK = 3 * Long.BYTES;

    private Mirror() {}

    public static void reverse(byte[] row, int from, int to, int pixelBytes) {
        switch (pixelBytes) {
            case 1 -> reverseBytes(row, from, to);
            case 3 -> reverseTriples(row, from, to);
            default -> swap(row, from, to, pixelBytes);
        }
    }

    private static void reverseBytes(byte[] row, int from, int to) {
        int left = from;
        int right = to;
        for (; right - left >= 2 * Long.BYTES; left += Long.BYTES) {
            right -= Long.BYTES;
            long first = (long) LONGS.get(row, left);
            long last = (long) LONGS.get(row, right);
            LONGS.set(row, left, Long.reverseBytes(last));
            LONGS.set(row, right, Long.reverseBytes(first));
        }
        swap(row, left, right, 1);
    }

    private static void reverseTriples(byte[] row, int from, int to) {
        int blocks = (to - from + BLOCK) / (2 * BLOCK);
        int middle = from + blocks * BLOCK;
        int mirror = from + to - BLOCK;
        for (int left = from; left < middle; left += BLOCK) {
            int right = mirror - left;
            long a = (long) LONGS.get(row, left);
            long b = (long) LONGS.get(row, left + 8);
            long c = (long) LONGS.get(row, left + 16);
            long x = (long) LONGS.get(row, right);
            long y = (long) LONGS.get(row, right + 8);
            long z = (long) LONGS.get(row, right + 16);
            LONGS.set(row, left, first(y, z));
            LONGS.set(row, left + 8, second(x, y, z));
            LONGS.set(row, left + 16, third(x, y));
            LONGS.set(row, right, first(b, c));
            LONGS.set(row, right + 8, second(a, b, c));
            LONGS.set(row, right + 16, third(a, b));
        }
        swap(row, middle, from + to - middle, 3);
    }

    // a, b and c hold the pixels 0 to 7; the results hold 7 to 0

    private static long first(long b, long c) {
        return (c >>> 40) | ((c << 8) & (PIXEL << 24)) | ((b >>> 8) & (BYTE << 48)) | (c << 56);
    }

    private static long second(long a, long b, long c) {
        return ((c >>> 8) & BYTE)
                | ((b >>> 24) & (PIXEL << 8))
                | ((b << 24) & (PIXEL << 32))
                | ((a << 8) & (BYTE << 56));
    }

    private static long third(long a, long b) {
        return (a >>> 56) | ((b << 8) & (BYTE << 8)) | ((a >>> 8) & (PIXEL << 16)) | (a << 40);
    }

    private static void swap(byte[] row, int from, int to, int pixelBytes) {
        int left = from;
        for (int right = to - pixelBytes; left < right; right -= 2 * pixelBytes) {
            for (int end = left + pixelBytes; left < end; left++, right++) {
                byte kept = row[left];
                row[left] = row[right];
                row[right] = kept;
            }
        }
    }
}
