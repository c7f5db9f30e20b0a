package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;

/** Eight truth values a byte, the first in the highest bit, after a byte that says how many bits are left over. */
record PackBits() implements BytesToBytes {

    @Override
    public String name() {
        return "packbits";
    }

    @Override
    public byte[] decode(byte[] encoded, int max) {
        int spare = encoded.length == 0 ? -1 : encoded[0];
        long count = (encoded.length - 1L) * 8 - spare;
        if (spare < 0 || spare > 7 || count < 0 || count > max) {
            throw new FormatException("packbits: at most %d bytes are expected, came %d, with %d bits left over"
                    .formatted(max, encoded.length, spare));
        }
        byte[] result = new byte[(int) count];
        for (int i = 0; i < result.length; i++) {
            result[i] = (byte) (encoded[1 + i / 8] >> (7 - i % 8) & 1);
        }
        return result;
    }

    @Override
    public long encodedBytes(long decoded) {
        return 1 + (decoded + 7) / 8;
    }
}
