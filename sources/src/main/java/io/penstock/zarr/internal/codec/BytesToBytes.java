package io.penstock.zarr.internal.codec;

/** Compresses, checks or shuffles bytes without knowing what they are. */
public sealed interface BytesToBytes extends ZarrCodec
        permits Compressor, ChecksumCodec, Shuffle, NumberFilter, PackBits, Unchanged {

    /**
     * The decoded bytes: never more than {@code max} of them, even if the encoded ones claim more.
     * @throws io.penstock.fault.FormatException if they are broken, or would be more
     */
    byte[] decode(byte[] encoded, int max);

    /** The encoded size, given the decoded size: the max for a {@link Compressor}, exact for any other codec. */
    long encodedBytes(long decoded);
}
