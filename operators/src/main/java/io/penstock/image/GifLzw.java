package io.penstock.image;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;

/** Decodes the LZW codes of a GIF to colour indices, from a chain of blocks of up to 255 bytes. */
final class GifLzw {

    private static final int MAX_CODES = 4096;

    private final ByteBuffer bytes;
    private int at;
    private int block; // bytes left in the current block
    private int bits;
    private int buffered;

    // an entry is the string of an earlier entry, then one more index
    private final short[] prefixes = new short[MAX_CODES];
    private final byte[] suffixes = new byte[MAX_CODES];
    private final short[] lengths = new short[MAX_CODES];

    GifLzw(ByteBuffer bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    /** Fills the array; fails if the data ends before. */
    void decode(byte[] indices) {
        int minimum = bytes.get(at++);
        if (minimum < 1 || minimum > 11) {
            throw new FormatException(
                    "broken GIF: a code size of %d at byte %d, must be in [1, 11]".formatted(minimum, at - 1));
        }
        int clear = 1 << minimum;
        for (int i = 0; i < clear; i++) {
            suffixes[i] = (byte) i;
            lengths[i] = 1;
        }
        int next = clear + 2;
        int size = minimum + 1;
        int previous = -1;
        int done = 0;
        while (done < indices.length) {
            int code = read(size);
            if (code == clear) {
                next = clear + 2;
                size = minimum + 1;
                previous = -1;
                continue;
            }
            if (code < 0 || code == clear + 1) {
                throw new FormatException(
                        "truncated GIF: %d of %d pixels at byte %d".formatted(done, indices.length, at));
            }
            if (code > next || code == next && previous < 0 || next == MAX_CODES && code == next) {
                throw new FormatException("broken GIF: code %d of %d at byte %d".formatted(code, next, at));
            }
            int known = code < next ? code : previous;
            int written = write(known, indices, done);
            byte first = indices[done];
            done += written;
            if (code == next && done < indices.length) {
                indices[done++] = first;
            }
            if (previous >= 0 && next < MAX_CODES) {
                prefixes[next] = (short) previous;
                suffixes[next] = first;
                lengths[next] = (short) (lengths[previous] + 1);
                next++;
                if (next == 1 << size && size < 12) {
                    size++;
                }
            }
            previous = code;
        }
    }

    /** Writes an entry's string backwards, and only the part that fits. */
    private int write(int code, byte[] indices, int from) {
        int length = lengths[code];
        int entry = code;
        for (int i = from + length - 1; i >= from; i--) {
            if (i < indices.length) {
                indices[i] = suffixes[entry];
            }
            entry = prefixes[entry];
        }
        return Math.min(length, indices.length - from);
    }

    /** The next code, or -1 at the end of the data. */
    private int read(int size) {
        while (buffered < size) {
            if (block == 0) {
                block = at < bytes.limit() ? bytes.get(at++) & 0xFF : 0;
            }
            if (block == 0 || at >= bytes.limit()) {
                return -1;
            }
            bits |= (bytes.get(at++) & 0xFF) << buffered;
            buffered += 8;
            block--;
        }
        int code = bits & (1 << size) - 1;
        bits >>>= size;
        buffered -= size;
        return code;
    }
}
