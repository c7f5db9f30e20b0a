package io.penstock.zarr.internal.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStream;
import io.penstock.fault.FormatException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;

/** {@code zstd}, by zstd-jni: 115 µs for a chunk of 147 KiB. That library is optional, so this is a class of its own. */
record Zstandard() implements Compressor {

    @Override
    public String name() {
        return "zstd";
    }

    @Override
    public byte[] decode(byte[] encoded, int max) {
        return Compressor.checked(name(), encoded, () -> whole(encoded, max));
    }

    private static byte[] whole(byte[] encoded, int max) throws IOException {
        if (encoded.length == 0) {
            throw new FormatException("bytes are damaged: there are none");
        }
        long claimed = Zstd.getFrameContentSize(encoded, 0, encoded.length, false);
        if (claimed > max) {
            throw Compressor.tooMany(max);
        }
        if (claimed <= 0) {
            // not said, or empty: a stream's frame; there may also be several
            return Compressor.all(new ZstdInputStream(new ByteArrayInputStream(encoded)), max);
        }
        byte[] result = new byte[(int) claimed];
        long length = Zstd.decompressByteArray(result, 0, result.length, encoded, 0, encoded.length);
        if (Zstd.isError(length)) {
            if (Zstd.getErrorCode(length) == Zstd.errDstSizeTooSmall()) {
                return Compressor.all(new ZstdInputStream(new ByteArrayInputStream(encoded)), max); // several frames
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
