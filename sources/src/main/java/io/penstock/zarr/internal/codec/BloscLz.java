package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;

/** Blosc's own compressor, a FastLZ: runs of literal bytes and references back, up to 73,726 bytes. */
final class BloscLz {

    private static final int NEAR = 8191;

    private BloscLz() {}

    static int decode(byte[] from, int at, int length, byte[] to, int toAt, int max) {
        int end = at + length;
        int limit = toAt + max;
        int out = toAt;
        int in = at;
        if (length == 0) {
            return 0;
        }
        int control = from[in++] & 31;
        while (true) {
            if (control >= 32) {
                int count = (control >> 5) + 2;
                int distance = (control & 31) << 8;
                int code = 255;
                if (count == 9) {
                    while (code == 255 && in < end) {
                        code = from[in++] & 0xFF;
                        count += code;
                        if (count > max) {
                            throw damaged(in);
                        }
                    }
                }
                if (in >= end) {
                    throw damaged(in);
                }
                code = from[in++] & 0xFF;
                if (code == 255 && distance == 31 << 8) {
                    if (in + 1 >= end) {
                        throw damaged(in);
                    }
                    distance = ((from[in] & 0xFF) << 8 | from[in + 1] & 0xFF) + NEAR;
                    in += 2;
                } else {
                    distance += code;
                }
                int source = out - distance - 1;
                if (source < toAt || count > limit - out) {
                    throw damaged(in);
                }
                for (int i = 0; i < count; i++) { // byte by byte: what is copied may be what was just written
                    to[out++] = to[source++];
                }
            } else {
                int count = control + 1;
                if (count > limit - out || count > end - in) {
                    throw damaged(in);
                }
                System.arraycopy(from, in, to, out, count);
                in += count;
                out += count;
            }
            if (in >= end) {
                return out - toAt;
            }
            control = from[in++] & 0xFF;
        }
    }

    private static FormatException damaged(int at) {
        return new FormatException("blosclz stream is damaged at byte " + at);
    }
}
