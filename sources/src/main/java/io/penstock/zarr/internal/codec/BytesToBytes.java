package io.penstock.zarr.internal.codec;

/** Compresses, checks or shuffles bytes without knowing what they are. */
public sealed interface BytesToBytes extends ZarrCodec
        permits Compression, Lzma, ChecksumCodec, Shuffle, NumberFilter, PackBits, Unchanged {

    /**
     * The bytes behind the encoded ones; never makes more than {@code max} of them, whatever the encoded ones claim.
     * @throws io.penstock.fault.FormatException if they are broken, or would be more
     */
    byte[] decode(byte[] encoded, int max);

    /** How many bytes this many become at most; exactly so many where {@link #isExact}. */
    long encodedBytes(long decoded);

    boolean isExact();
}
