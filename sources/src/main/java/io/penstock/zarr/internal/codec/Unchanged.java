package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;

/** A filter that is lossy when writing and does nothing when reading: {@code bitround}. */
record Unchanged(String name) implements BytesToBytes {

    @Override
    public byte[] decode(byte[] encoded, int max) {
        if (encoded.length > max) {
            throw new FormatException(
                    "%s: at most %d bytes are expected, came %d".formatted(name, max, encoded.length));
        }
        return encoded;
    }

    @Override
    public long encodedBytes(long decoded) {
        return decoded;
    }
}
