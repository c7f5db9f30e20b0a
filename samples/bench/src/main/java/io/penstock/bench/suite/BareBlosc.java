package io.penstock.bench.suite;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Blosc frames as C-Blosc writes them: elements of four bytes, shuffled, and compressed by lz4 in a stream for each
 * byte.
 */
final class BareBlosc {

    private static final int HEADER = 16;
    private static final int TYPE = 4;
    private static final int BLOCK = 1 << 17;
    private static final byte FLAGS = 1 << 5 | 1; // lz4, shuffled, split
    private static final LZ4Compressor COMPRESSOR = LZ4Factory.fastestInstance().fastCompressor();
    private static final LZ4SafeDecompressor DECOMPRESSOR =
            LZ4Factory.fastestInstance().safeDecompressor();

    private BareBlosc() {}

    static byte[] encode(byte[] chunk) {
        int block = Math.min(BLOCK, chunk.length);
        int blocks = (chunk.length + block - 1) / block;
        int max = HEADER + blocks * (4 + TYPE * (4 + COMPRESSOR.maxCompressedLength(block / TYPE + 1)));
        ByteBuffer out = ByteBuffer.allocate(max).order(ByteOrder.LITTLE_ENDIAN);
        out.put((byte) 2)
                .put((byte) 1)
                .put(FLAGS)
                .put((byte) TYPE)
                .putInt(chunk.length)
                .putInt(block);
        out.position(HEADER + 4 * blocks);
        byte[] shuffled = new byte[block];
        for (int i = 0; i < blocks; i++) {
            out.putInt(HEADER + 4 * i, out.position());
            int size = Math.min(block, chunk.length - i * block);
            int streams = size == block ? TYPE : 1;
            shuffle(chunk, i * block, shuffled, size);
            for (int s = 0; s < streams; s++) {
                int length = size / streams;
                int at = out.position() + 4;
                int stored = COMPRESSOR.compress(shuffled, s * length, length, out.array(), at, max - at);
                if (stored >= length) {
                    System.arraycopy(shuffled, s * length, out.array(), at, length);
                    stored = length;
                }
                out.putInt(stored).position(at + stored);
            }
        }
        out.putInt(12, out.position());
        return Arrays.copyOf(out.array(), out.position());
    }

    private static void shuffle(byte[] from, int at, byte[] to, int size) {
        int count = size / TYPE;
        for (int i = 0; i < count; i++) {
            for (int b = 0; b < TYPE; b++) {
                to[b * count + i] = from[at + i * TYPE + b];
            }
        }
    }

    static void decode(byte[] stored, byte[] chunk) {
        ByteBuffer in = ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN);
        int block = in.getInt(8);
        byte[] shuffled = new byte[block];
        for (int i = 0; i * block < chunk.length; i++) {
            int size = Math.min(block, chunk.length - i * block);
            int streams = size == block ? TYPE : 1;
            int length = size / streams;
            int at = in.getInt(HEADER + 4 * i);
            for (int s = 0; s < streams; s++) {
                int bytes = in.getInt(at);
                if (bytes == length) {
                    System.arraycopy(stored, at + 4, shuffled, s * length, length);
                } else {
                    DECOMPRESSOR.decompress(stored, at + 4, bytes, shuffled, s * length, length);
                }
                at += 4 + bytes;
            }
            unshuffle(shuffled, chunk, i * block, size);
        }
    }

    private static void unshuffle(byte[] from, byte[] to, int at, int size) {
        int count = size / TYPE;
        for (int b = 0; b < TYPE; b++) {
            for (int i = 0; i < count; i++) {
                to[at + i * TYPE + b] = from[b * count + i];
            }
        }
    }
}
