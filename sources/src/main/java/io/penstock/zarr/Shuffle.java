package io.penstock.zarr;

import io.penstock.pipeline.FormatException;

/** Stores the first bytes of all elements, then the second ones, and so on. */
record Shuffle(int elementBytes) implements BytesToBytes {

    @Override
    public String name() {
        return "shuffle";
    }

    @Override
    public byte[] decode(byte[] encoded, int most) {
        if (encoded.length > most) {
            throw new FormatException(
                    "shuffle: at most %d bytes are expected, came %d".formatted(most, encoded.length));
        }
        if (elementBytes <= 1) {
            return encoded;
        }
        if (encoded.length % elementBytes != 0) {
            throw new FormatException(
                    "shuffle: %d bytes are not made of elements of %d bytes".formatted(encoded.length, elementBytes));
        }
        byte[] result = new byte[encoded.length];
        undo(encoded, 0, result, 0, encoded.length, elementBytes);
        return result;
    }

    /** Puts the bytes of elements side by side again; bytes that are no whole element stay at the end. */
    static void undo(byte[] from, int at, byte[] to, int toAt, int length, int elementBytes) {
        int count = length / elementBytes;
        for (int b = 0; b < elementBytes; b++) {
            int source = at + b * count;
            for (int i = 0, target = toAt + b; i < count; i++, target += elementBytes) {
                to[target] = from[source + i];
            }
        }
        int whole = count * elementBytes;
        System.arraycopy(from, at + whole, to, toAt + whole, length - whole);
    }

    @Override
    public long encodedBytes(long decoded) {
        return decoded;
    }

    @Override
    public boolean isExact() {
        return true;
    }
}
