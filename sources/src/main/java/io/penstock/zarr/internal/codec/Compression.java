package io.penstock.zarr.internal.codec;

import java.io.ByteArrayInputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/** The compressors that need no optional library: zlib and gzip are the JDK's, and Blosc's frame is read here. */
enum Compression implements Compressor {
    ZLIB,
    GZIP,
    BLOSC;

    @Override
    public byte[] decode(byte[] encoded, int max) {
        return Compressor.checked(label(), encoded, () -> switch (this) {
            case ZLIB -> Compressor.all(new InflaterInputStream(new ByteArrayInputStream(encoded)), max);
            case GZIP -> Compressor.all(new GZIPInputStream(new ByteArrayInputStream(encoded)), max);
            case BLOSC -> BloscFrame.decode(encoded, max);
        });
    }

    private String label() {
        return super.name().toLowerCase(Locale.ROOT);
    }
}
