package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** A general compressor. It inflates to at most the bytes that the chunk needs; its encoded size is not known before. */
sealed interface Compressor extends BytesToBytes permits Compression, Zstandard, Lz4, Bzip2, Lzma {

    /** Decodes; every failure names the codec. */
    interface Decoding {
        byte[] bytes() throws IOException;
    }

    static byte[] checked(String label, byte[] encoded, Decoding decoding) {
        try {
            return decoding.bytes();
        } catch (EOFException e) {
            throw new FormatException(
                    "%s: bytes are damaged: they end early, after %d".formatted(label, encoded.length), e);
        } catch (FormatException e) {
            throw new FormatException("%s: %s".formatted(label, e.getMessage()), e);
        } catch (IOException | RuntimeException e) { // those of optional libraries have no name here
            throw new FormatException("%s: bytes are damaged: %s".formatted(label, reason(e)), e);
        }
    }

    /** The message of a failure; LZ4's have none. */
    static String reason(Exception failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    static byte[] all(InputStream inflating, int max) throws IOException {
        try (inflating) {
            byte[] result = inflating.readNBytes(max);
            if (inflating.read() >= 0) {
                throw tooMany(max);
            }
            return result;
        }
    }

    static FormatException tooMany(int max) {
        return new FormatException("inflates to more than the %d bytes expected".formatted(max));
    }

    @Override
    default long encodedBytes(long decoded) {
        return decoded + decoded / 4 + (1 << 16);
    }
}
