package io.penstock.zarr.internal.codec;

import io.penstock.pipeline.FormatException;

/**
 * Snappy's raw format, which old Blosc frames may hold.
 * @see <a href="https://github.com/google/snappy/blob/main/format_description.txt">its description</a>
 */
final class Snappy {

    private static final int LONGEST_VARINT = 5;

    private Snappy() {}

    static int decode(byte[] from, int at, int length, byte[] to, int toAt, int most) {
        int end = at + length;
        int in = at;
        long size = 0;
        for (int i = 0; ; i++) {
            if (in >= end || i == LONGEST_VARINT) {
                throw damaged(in);
            }
            int digit = from[in++];
            size |= (digit & 0x7FL) << 7 * i;
            if (digit >= 0) {
                break;
            }
        }
        if (size > most) {
            throw damaged(in);
        }
        int out = toAt;
        int limit = toAt + (int) size;
        while (in < end) {
            int tag = from[in++] & 0xFF;
            int more = (tag & 3) == 0 ? Math.max(0, (tag >> 2) - 59) : (tag & 3) == 3 ? 4 : tag & 3;
            if (more > end - in) {
                throw damaged(in);
            }
            long number = 0;
            for (int i = 0; i < more; i++) {
                number |= (from[in++] & 0xFFL) << 8 * i;
            }
            if ((tag & 3) == 0) {
                long count = 1 + (more == 0 ? tag >> 2 : number);
                if (count > end - in || count > limit - out) {
                    throw damaged(in);
                }
                System.arraycopy(from, in, to, out, (int) count);
                in += (int) count;
                out += (int) count;
            } else {
                boolean near = (tag & 3) == 1;
                int count = near ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
                long distance = near ? (tag >> 5) << 8 | number : number;
                if (distance == 0 || distance > out - toAt || count > limit - out) {
                    throw damaged(in);
                }
                int source = out - (int) distance;
                for (int i = 0; i < count; i++) { // byte by byte: what is copied may be what was just written
                    to[out++] = to[source++];
                }
            }
        }
        return out - toAt;
    }

    private static FormatException damaged(int at) {
        return new FormatException("snappy stream is damaged at byte " + at);
    }
}
