package io.penstock.store.http.internal;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * The bytes received so far. Memory grows with the bytes received, not with the length announced: a header that claims
 * a gigabyte costs nothing.
 */
final class Arrival {

    private static final int TRUSTED = 1 << 20;
    private static final byte[] NOTHING = {};

    private final long max;
    private byte[] bytes = NOTHING;
    private int count;
    private int scanned;
    private int lineStart;
    private int longestLine;
    private long expected = -1;

    Arrival(long max) {
        this.max = max;
    }

    long max() {
        return max;
    }

    int count() {
        return count;
    }

    void clear() {
        count = 0;
        scanned = 0;
        lineStart = 0;
        longestLine = 0;
        expected = -1;
    }

    /** Sets the expected number of bytes; -1 if unknown. */
    void expect(long all) {
        this.expected = all;
    }

    void requireRoom(long announced) {
        if (announced > max) {
            throw Statuses.tooLarge(max, announced);
        }
    }

    /** Takes this many bytes; false, and takes none, if they exceed the limit. */
    boolean append(ByteBuf from, int length) {
        if (length > max - count) {
            return false;
        }
        if (bytes.length - count < length) {
            bytes = Arrays.copyOf(bytes, room(count + length));
        }
        from.readBytes(bytes, count, length);
        count += length;
        return true;
    }

    /** The bytes of the longest line that came so far, whether or not it has ended. */
    int longestLine() {
        for (; scanned < count; scanned++) {
            if (bytes[scanned] == '\n') {
                longestLine = Math.max(longestLine, scanned - lineStart);
                lineStart = scanned + 1;
            }
        }
        return Math.max(longestLine, count - lineStart);
    }

    private int room(int needed) {
        if (expected >= needed && expected <= Math.max(TRUSTED, 4L * count)) {
            return (int) expected;
        }
        return (int) Math.min(max, Math.max(Math.max(needed, 2L * count), 8192));
    }

    /** The bytes received, decompressed, in an array of exactly their number. */
    byte[] bytes(Inflation inflation, long maxInflated) {
        return inflation.inflate(bytes, count, maxInflated);
    }
}
