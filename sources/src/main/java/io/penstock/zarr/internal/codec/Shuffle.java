package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Stores the first bytes of all elements, then the second ones, and so on; or the same with bits. */
public final class Shuffle {

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Shuffle() {}

    /** The codec of a chunk; within a frame of Blosc's there is another. */
    public static BytesToBytes of(int elementBytes) {
        return BytesToBytes.exact("shuffle", decoded -> decoded, (encoded, max) -> {
            if (elementBytes <= 1) {
                return encoded;
            }
            if (encoded.length % elementBytes != 0) {
                throw new FormatException(
                        "%d bytes are not made of elements of %d bytes".formatted(encoded.length, elementBytes));
            }
            byte[] result = new byte[encoded.length];
            undo(encoded, 0, result, 0, encoded.length, elementBytes);
            return result;
        });
    }

    /** Puts the bytes of elements side by side again; bytes that are no whole element stay at the end. */
    static void undo(byte[] from, int at, byte[] to, int toAt, int length, int elementBytes) {
        int count = length / elementBytes;
        switch (elementBytes) {
            case Short.BYTES -> undoShorts(from, at, to, toAt, count);
            case Integer.BYTES -> undoInts(from, at, to, toAt, count);
            case Long.BYTES -> undoLongs(from, at, to, toAt, count);
            default -> {
                for (int b = 0; b < elementBytes; b++) {
                    int source = at + b * count;
                    for (int i = 0, target = toAt + b; i < count; i++, target += elementBytes) {
                        to[target] = from[source + i];
                    }
                }
            }
        }
        int whole = count * elementBytes;
        System.arraycopy(from, at + whole, to, toAt + whole, length - whole);
    }

    // a whole element is written at once: the loop above, of any stride, keeps its checks and takes three times as long

    private static void undoShorts(byte[] from, int at, byte[] to, int toAt, int count) {
        for (int i = 0; i < count; i++) {
            SHORT.set(to, toAt + Short.BYTES * i, (short) (from[at + i] & 0xFF | from[at + count + i] << 8));
        }
    }

    private static void undoInts(byte[] from, int at, byte[] to, int toAt, int count) {
        int one = at + count;
        int two = one + count;
        int three = two + count;
        for (int i = 0; i < count; i++) {
            int element = from[at + i] & 0xFF
                    | (from[one + i] & 0xFF) << 8
                    | (from[two + i] & 0xFF) << 16
                    | from[three + i] << 24;
            INT.set(to, toAt + Integer.BYTES * i, element);
        }
    }

    private static void undoLongs(byte[] from, int at, byte[] to, int toAt, int count) {
        for (int i = 0; i < count; i++) {
            int source = at + i;
            long element = 0;
            for (int b = 0; b < Long.BYTES; b++, source += count) {
                element |= (from[source] & 0xFFL) << 8 * b;
            }
            LONG.set(to, toAt + Long.BYTES * i, element);
        }
    }

    /** Undoes Blosc 1's bit shuffle: the lowest bits of all elements, eight elements a byte, then the second lowest. */
    static void undoBits(byte[] from, byte[] to, int toAt, int length, int elementBytes) {
        int count = length / elementBytes;
        if (count % 8 != 0) {
            System.arraycopy(from, 0, to, toAt, length); // Blosc leaves such blocks as they are
            return;
        }
        int row = count / 8;
        for (int b = 0; b < elementBytes; b++) {
            int plane = b * 8 * row;
            for (int group = 0; group < row; group++) {
                long bits = 0;
                for (int bit = 0; bit < 8; bit++) {
                    bits |= (from[plane + bit * row + group] & 0xFFL) << 8 * bit;
                }
                bits = transpose(bits);
                int target = toAt + group * 8 * elementBytes + b;
                for (int i = 0; i < 8; i++, target += elementBytes) {
                    to[target] = (byte) (bits >>> 8 * i);
                }
            }
        }
        int whole = count * elementBytes;
        System.arraycopy(from, whole, to, toAt + whole, length - whole);
    }

    /** An 8 x 8 matrix of bits on its side: Hacker's Delight, section 7-3. */
    private static long transpose(long x) {
        long t = (x ^ x >>> 7) & 0x00AA00AA00AA00AAL;
        x ^= t ^ t << 7;
        t = (x ^ x >>> 14) & 0x0000CCCC0000CCCCL;
        x ^= t ^ t << 14;
        t = (x ^ x >>> 28) & 0x00000000F0F0F0F0L;
        return x ^ t ^ t << 28;
    }
}
