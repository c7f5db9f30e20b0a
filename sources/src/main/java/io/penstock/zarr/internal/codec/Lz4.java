package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * {@code lz4} in numcodecs' form, the length in four bytes and a block, by lz4-java: 20 µs for a chunk of 147 KiB. That
 * library is optional, so this is a class of its own.
 */
record Lz4() implements Compressor {

    private static final LZ4SafeDecompressor BLOCK =
            LZ4Factory.fastestInstance().safeDecompressor();

    @Override
    public String name() {
        return "lz4";
    }

    @Override
    public byte[] decode(byte[] encoded, int max) {
        return Compressor.checked(name(), encoded, () -> whole(encoded, max));
    }

    private static byte[] whole(byte[] encoded, int max) {
        if (encoded.length < Integer.BYTES) {
            throw new FormatException("bytes end in the header: has " + encoded.length);
        }
        int length = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).getInt(0);
        if (length < 0 || length > max) {
            throw Compressor.tooMany(max);
        }
        byte[] result = new byte[length];
        int came = block(encoded, Integer.BYTES, encoded.length - Integer.BYTES, result, 0, length);
        if (came != length) {
            throw new FormatException("header says %d bytes, came %d".formatted(length, came));
        }
        return result;
    }

    /** A block, as a frame of Blosc's has it, too; the bytes that came. */
    static int block(byte[] from, int at, int length, byte[] to, int toAt, int max) {
        return BLOCK.decompress(from, at, length, to, toAt, max);
    }
}
