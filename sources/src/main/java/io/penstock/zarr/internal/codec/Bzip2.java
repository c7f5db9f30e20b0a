package io.penstock.zarr.internal.codec;

import java.io.ByteArrayInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;

/** {@code bz2}, by Commons Compress. That library is optional, so this is a class of its own. */
record Bzip2() implements Compressor {

    @Override
    public String name() {
        return "bz2";
    }

    @Override
    public byte[] decode(byte[] encoded, int max) {
        return Compressor.checked(
                name(),
                encoded,
                () -> Compressor.all(new BZip2CompressorInputStream(new ByteArrayInputStream(encoded), true), max));
    }
}
