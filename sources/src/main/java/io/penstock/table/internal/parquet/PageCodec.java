package io.penstock.table.internal.parquet;

import com.github.luben.zstd.Zstd;
import io.penstock.fault.FormatException;
import io.penstock.internal.OptionalLibrary;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
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
     * The bytes of a page.
     * @param length after decompression
     * @throws FormatException if they are damaged, or the codec is not known
     */
    static byte[] decode(CompressionCodec codec, byte[] encoded, int length) {
        if (codec == CompressionCodec.UNCOMPRESSED) {
            requireLength(encoded.length, length);
            return encoded;
        }
        if (length == 0 && encoded.length == 0) {
            return encoded;
        }
        byte[] bytes = new byte[length];
        try {
            long came = switch (codec) {
                case SNAPPY -> snappy(encoded, bytes);
                case GZIP -> gzip(encoded, bytes);
                case ZSTD -> zstd(encoded, bytes);
                case LZ4_RAW -> Lz4Block.decode(encoded, 0, encoded.length, bytes, 0, length);
                case LZ4 -> lz4(encoded, bytes);
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

    private static int snappy(byte[] encoded, byte[] bytes) throws IOException {
        requireLength(Snappy.uncompressedLength(encoded), bytes.length);
        return Snappy.uncompress(encoded, 0, encoded.length, bytes, 0);
    }

    private static int gzip(byte[] encoded, byte[] bytes) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(encoded))) {
            int came = in.readNBytes(bytes, 0, bytes.length);
            return in.read() < 0 ? came : came + 1;
        }
    }

    private static long zstd(byte[] encoded, byte[] bytes) {
        long came = Zstd.decompressByteArray(bytes, 0, bytes.length, encoded, 0, encoded.length);
        if (Zstd.isError(came)) {
            throw new FormatException("zstd cannot be decompressed: " + Zstd.getErrorName(came));
        }
        return came;
    }

    /** Hadoop's form, blocks behind two big-endian lengths each; or as other writers have it, one bare block. */
    private static int lz4(byte[] encoded, byte[] bytes) {
        int at = 0;
        int to = 0;
        while (at + HADOOP_HEADER <= encoded.length) {
            int length = bigEndian(encoded, at);
            int compressed = bigEndian(encoded, at + Integer.BYTES);
            at += HADOOP_HEADER;
            boolean fits =
                    length >= 0 && length <= bytes.length - to && compressed >= 0 && compressed <= encoded.length - at;
            if (!fits || blockOf(encoded, at, compressed, bytes, to, length) != length) {
                return Lz4Block.decode(encoded, 0, encoded.length, bytes, 0, bytes.length);
            }
            at += compressed;
            to += length;
        }
        return at == encoded.length && to == bytes.length
                ? to
                : Lz4Block.decode(encoded, 0, encoded.length, bytes, 0, bytes.length);
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
