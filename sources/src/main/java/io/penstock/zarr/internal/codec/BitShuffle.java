package io.penstock.zarr.internal.codec;

/** Blosc 1's bit shuffle: the lowest bits of all elements first, eight elements a byte, then the second lowest. */
final class BitShuffle {

    private BitShuffle() {}

    static void undo(byte[] from, byte[] to, int toAt, int length, int elementBytes) {
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
