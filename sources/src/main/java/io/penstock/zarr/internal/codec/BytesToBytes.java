package io.penstock.zarr.internal.codec;

/** Compresses, checks or shuffles bytes without knowing what they are. */
public sealed interface BytesToBytes extends ZarrCodec
        permits Compression, Lzma, ChecksumCodec, Shuffle, NumberFilter, PackBits, Unchanged {

    /**
     * The bytes behind the encoded ones; never makes more than {@code max} of them, even if the encoded ones claim more.
     * @throws io.penstock.fault.FormatException if they are broken, or would be more
     */
    byte[] decode(byte[] encoded, int max);

    /** The max size of an encoded chunk, given the decoded size; its exact size where {@link #isExact}. */
    long encodedBytes(long decoded);

    boolean isExact();
}
