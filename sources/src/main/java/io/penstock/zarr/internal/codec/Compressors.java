package io.penstock.zarr.internal.codec;

import com.github.luben.zstd.Zstd;
import io.penstock.fault.FormatException;
import io.penstock.store.internal.ZstdStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.XZInputStream;

/**
 * The general compressors that libraries have. Each inflates to at most the bytes that the chunk needs. The libraries are
 * optional, so each has a class of its own.
 */
final class Compressors {

    private Compressors() {}

    /** The message of a failure; LZ4's have none. */
    static String reason(Exception failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    static FormatException tooMany(int max) {
        return new FormatException("inflates to more than the %d bytes expected".formatted(max));
    }

    static byte[] all(InputStream inflating, int max) throws IOException {
        try (inflating) {
            byte[] result = new byte[max]; // at once: most chunks need all of it
            int length = inflating.readNBytes(result, 0, max);
            if (inflating.read() >= 0) {
                throw tooMany(max);
            }
            return length == max ? result : Arrays.copyOf(result, length);
        }
    }

    /** By zstd-jni: 115 µs for a chunk of 147 KiB. */
    static final class Zstandard {

        private Zstandard() {}

        static byte[] decode(byte[] encoded, int max) throws IOException {
            if (encoded.length == 0) {
                throw new FormatException("bytes are damaged: there are none");
            }
            long claimed = Zstd.getFrameContentSize(encoded, 0, encoded.length, false);
            if (claimed > max) {
                throw tooMany(max);
            }
            if (claimed <= 0) {
                // not said, or empty: a stream's frame; there may also be several
                return all(ZstdStream.open(new ByteArrayInputStream(encoded)), max);
            }
            byte[] result = new byte[(int) claimed];
            long length = Zstd.decompressByteArray(result, 0, result.length, encoded, 0, encoded.length);
            if (Zstd.isError(length)) {
                if (Zstd.getErrorCode(length) == Zstd.errDstSizeTooSmall()) {
                    return all(ZstdStream.open(new ByteArrayInputStream(encoded)), max); // several frames
                }
                throw new FormatException("bytes are damaged: " + Zstd.getErrorName(length));
            }
            return (int) length == result.length ? result : Arrays.copyOf(result, (int) length);
        }

        /** A stream within a frame of Blosc's; the bytes that came. */
        static int block(byte[] from, int at, int length, byte[] to, int toAt, int max) throws IOException {
            long came = Zstd.decompressByteArray(to, toAt, max, from, at, length);
            if (Zstd.isError(came)) {
                throw new IOException(Zstd.getErrorName(came));
            }
            return (int) came;
        }
    }

    /** In numcodecs' form, the length in four bytes and a block, by lz4-java: 20 µs for a chunk of 147 KiB. */
    static final class Lz4 {

        private static final LZ4SafeDecompressor BLOCK =
                LZ4Factory.fastestInstance().safeDecompressor();

        private Lz4() {}

        static byte[] decode(byte[] encoded, int max) {
            if (encoded.length < Integer.BYTES) {
                throw new FormatException("bytes end in the header: has " + encoded.length);
            }
            int length = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).getInt(0);
            if (length < 0 || length > max) {
                throw tooMany(max);
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

    /** By Commons Compress. */
    static final class Bzip2 {

        private Bzip2() {}

        static byte[] decode(byte[] encoded, int max) throws IOException {
            return all(new BZip2CompressorInputStream(new ByteArrayInputStream(encoded), true), max);
        }
    }

    /**
     * numcodecs' {@code lzma} in its standard format, by XZ for Java. The stream chooses the size of its dictionary, up to
     * {@value #MAX_KIB} KiB.
     */
    static final class Xz {

        private static final int MAX_KIB = 128 << 10;

        private Xz() {}

        static byte[] decode(byte[] encoded, int max) throws IOException {
            InputStream in = new ByteArrayInputStream(encoded);
            try {
                return all(new XZInputStream(in, MAX_KIB, true, BasicArrayCache.getInstance()), max);
            } catch (MemoryLimitException e) {
                throw new FormatException(
                        "its dictionary needs %d KiB, the max is %d KiB".formatted(e.getMemoryNeeded(), MAX_KIB), e);
            }
        }
    }
}
