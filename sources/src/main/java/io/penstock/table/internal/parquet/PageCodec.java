package io.penstock.table.internal.parquet;

import com.github.luben.zstd.Zstd;
import io.penstock.fault.FormatException;
import io.penstock.internal.OptionalLibrary;
import io.penstock.store.internal.InflatedStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.apache.parquet.format.CompressionCodec;
import org.xerial.snappy.Snappy;

/** Decompresses pages, whose lengths are known. */
final class PageCodec {

    private static final int HADOOP_HEADER = 8;

    private PageCodec() {}

    /** Its library is optional, so this is a class of its own. */
    private static final class Lz4Block {

        static final LZ4SafeDecompressor DECOMPRESSOR =
                LZ4Factory.fastestInstance().safeDecompressor();

        static int decode(byte[] encoded, int at, int length, byte[] bytes, int to, int max) {
            return DECOMPRESSOR.decompress(encoded, at, length, bytes, to, max);
        }
    }

    /**
     * Requires the library of a codec.
     * @throws IllegalStateException if it is not on the class path
     */
    static void require(CompressionCodec codec) {
        String feature = "Parquet in " + codec.name().toLowerCase(Locale.ROOT);
        switch (codec) {
            case SNAPPY -> OptionalLibrary.SNAPPY.require(feature, PageCodec.class);
            case ZSTD -> OptionalLibrary.ZSTD.require(feature, PageCodec.class);
            case LZ4, LZ4_RAW -> OptionalLibrary.LZ4.require(feature, PageCodec.class);
            default -> {} // the JDK's, or refused
        }
    }

    /**
     * The bytes of a page, which lies in an array.
     * @param length after decompression
     * @throws FormatException if they are damaged, or the codec is not known
     */
    static byte[] decode(CompressionCodec codec, byte[] encoded, int at, int stored, int length) {
        if (codec == CompressionCodec.UNCOMPRESSED) {
            requireLength(stored, length);
            return Arrays.copyOfRange(encoded, at, at + stored);
        }
        byte[] bytes = new byte[length];
        if (length == 0 && stored == 0) {
            return bytes;
        }
        try {
            long came = switch (codec) {
                case SNAPPY -> snappy(encoded, at, stored, bytes);
                case GZIP -> gzip(encoded, at, stored, bytes);
                case ZSTD -> zstd(encoded, at, stored, bytes);
                case LZ4_RAW -> Lz4Block.decode(encoded, at, stored, bytes, 0, length);
                case LZ4 -> lz4(encoded, at, stored, bytes);
                default ->
                    throw new FormatException("codec %s is not supported; write it with zstd or snappy"
                            .formatted(codec.name().toLowerCase(Locale.ROOT)));
            };
            requireLength(came, length);
        } catch (FormatException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // those of optional libraries have no name here
            throw new FormatException(
                    "%s cannot be decompressed: %s".formatted(codec.name().toLowerCase(Locale.ROOT), e.getMessage()),
                    e);
        }
        return bytes;
    }

    private static void requireLength(long came, int wanted) {
        if (came != wanted) {
            throw new FormatException("a page must have %d bytes, has %d".formatted(wanted, came));
        }
    }

    private static int snappy(byte[] encoded, int at, int stored, byte[] bytes) throws IOException {
        requireLength(Snappy.uncompressedLength(encoded, at, stored), bytes.length);
        return Snappy.uncompress(encoded, at, stored, bytes, 0);
    }

    private static int gzip(byte[] encoded, int at, int stored, byte[] bytes) throws IOException {
        try (InflatedStream in =
                new InflatedStream(new ByteArrayInputStream(encoded, at, stored), InflatedStream.Form.GZIP)) {
            int came = in.readNBytes(bytes, 0, bytes.length);
            return in.read() < 0 ? came : came + 1;
        }
    }

    private static long zstd(byte[] encoded, int at, int stored, byte[] bytes) {
        long came = Zstd.decompressByteArray(bytes, 0, bytes.length, encoded, at, stored);
        if (Zstd.isError(came)) {
            throw new FormatException("zstd cannot be decompressed: " + Zstd.getErrorName(came));
        }
        return came;
    }

    /** Hadoop's form, blocks behind two big-endian lengths each; or as other writers have it, one bare block. */
    private static int lz4(byte[] encoded, int start, int stored, byte[] bytes) {
        int end = start + stored;
        int at = start;
        int to = 0;
        while (at + HADOOP_HEADER <= end) {
            int length = bigEndian(encoded, at);
            int compressed = bigEndian(encoded, at + Integer.BYTES);
            at += HADOOP_HEADER;
            boolean fits = length >= 0 && length <= bytes.length - to && compressed >= 0 && compressed <= end - at;
            if (!fits || blockOf(encoded, at, compressed, bytes, to, length) != length) {
                return Lz4Block.decode(encoded, start, stored, bytes, 0, bytes.length);
            }
            at += compressed;
            to += length;
        }
        return at == end && to == bytes.length ? to : Lz4Block.decode(encoded, start, stored, bytes, 0, bytes.length);
    }

    private static int blockOf(byte[] encoded, int at, int compressed, byte[] bytes, int to, int length) {
        try {
            return Lz4Block.decode(encoded, at, compressed, bytes, to, length);
        } catch (RuntimeException e) {
            return -1;
        }
    }

    private static int bigEndian(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getInt(at);
    }
}
