package io.penstock.cache.ram;

import io.penstock.cache.internal.LengthCodes;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where values lie, as numbers: a location is 4 bits of code, 20 of slab number, 26 of offset; 0 is no location.
 *
 * <p>The code is that of {@link LengthCodes}; a value with code 0 lies after its length (LEB128). A value alone in its
 * slab has its length.
 */
final class Places {

    static final int OFFSET_BITS = 26;

    /** The offset of a value that has a slab of its own. */
    static final int OWN = (1 << OFFSET_BITS) - 1;

    private static final int NUMBER_BITS = 20;
    static final int MAX_COUNT = 1 << NUMBER_BITS;

    private static final int LINE_BYTES = 64;
    private static final int TOUCHED_BYTES = 1024;

    private final LengthCodes lengths;

    Places(LengthCodes lengths) {
        this.lengths = lengths;
    }

    static long of(int code, int number, int offset) {
        return ((long) code << NUMBER_BITS | number) << OFFSET_BITS | offset;
    }

    private static int code(long location) {
        return (int) (location >>> OFFSET_BITS + NUMBER_BITS);
    }

    /** The slab a location lies in. */
    static int number(long location) {
        return (int) (location >>> OFFSET_BITS) & MAX_COUNT - 1;
    }

    static int offset(long location) {
        return (int) location & OWN;
    }

    /** The location of the same value in another slab. */
    static long moved(long location, int number, int offset) {
        return of(code(location), number, offset);
    }

    /** What a value takes with its header, if it has one. */
    static int storedBytes(int code, int length) {
        return code == 0 ? headerBytes(length) + length : length;
    }

    /** Whether a value is copied, and not written by a call of its own. */
    static boolean isSmall(int storedBytes) {
        return storedBytes <= Slabs.PAGE;
    }

    static int headerBytes(int length) {
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(length)) / 7);
    }

    /** Has the first lines of a value fetched; the processor itself fetches what follows them. */
    static int touch(ByteBuffer value) {
        int sum = 0;
        int end = Math.min(value.limit(), TOUCHED_BYTES);
        for (int at = 0; at < end; at += LINE_BYTES) {
            sum += value.get(at);
        }
        return sum;
    }

    static void write(Slab slab, long location, Encoded value) throws IOException {
        int at = offset(location);
        int code = code(location);
        boolean small = at != OWN && isSmall(storedBytes(code, value.length()));
        if (at == OWN) {
            at = 0;
        } else if (code == 0) {
            ByteBuffer header = header(value.length());
            slab.write(at, Encoded.of(header), small);
            at += header.limit();
        }
        slab.write(at, value, small);
    }

    private static ByteBuffer header(int length) {
        ByteBuffer header = ByteBuffer.allocate(headerBytes(length));
        int rest = length;
        for (; rest > 0x7F; rest >>>= 7) {
            header.put((byte) (rest | 0x80));
        }
        return header.put((byte) rest).flip();
    }

    /** The value that was written at a location. */
    ByteBuffer view(ByteBuffer slab, long location) {
        int at = offset(location);
        if (at == OWN) {
            return slab.slice();
        }
        int code = code(location);
        if (code != 0) {
            return slab.slice(at, lengths.length(code));
        }
        int length = lengthAt(slab, at);
        return slab.slice(at + headerBytes(length), length);
    }

    /** The bytes of a value in a slab that it shares, its header included. */
    int storedBytesAt(ByteBuffer slab, long location) {
        int code = code(location);
        return storedBytes(code, code == 0 ? lengthAt(slab, offset(location)) : lengths.length(code));
    }

    private static int lengthAt(ByteBuffer slab, int at) {
        int from = at;
        int next = slab.get(from++);
        int length = next & 0x7F;
        for (int shift = 7; next < 0; shift += 7) {
            next = slab.get(from++);
            length |= (next & 0x7F) << shift;
        }
        return length;
    }
}
