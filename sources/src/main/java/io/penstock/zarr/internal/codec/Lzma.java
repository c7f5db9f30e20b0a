package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import java.io.ByteArrayInputStream;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.XZInputStream;

/**
 * numcodecs' {@code lzma} in its standard format, xz, by XZ for Java. That library is optional, so this is a class of
 * its own. The stream chooses the size of its dictionary, up to {@value #MAX_KIB} KiB.
 */
record Lzma() implements Compressor {

    private static final int MAX_KIB = 128 << 10;

    @Override
    public String name() {
        return "lzma";
    }

    @Override
    public byte[] decode(byte[] encoded, int max) {
        return Compressor.checked(name(), encoded, () -> {
            try {
                return Compressor.all(
                        new XZInputStream(
                                new ByteArrayInputStream(encoded), MAX_KIB, true, BasicArrayCache.getInstance()),
                        max);
            } catch (MemoryLimitException e) {
                throw new FormatException(
                        "its dictionary needs %d KiB, the max is %d KiB".formatted(e.getMemoryNeeded(), MAX_KIB), e);
            }
        });
    }
}
