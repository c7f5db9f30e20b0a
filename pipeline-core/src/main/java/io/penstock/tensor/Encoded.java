package io.penstock.tensor;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * A value's bytes as a {@link Codec} gives them to a cache, in one piece or several, one behind another. What lies in a
 * tensor already is a piece as it is, so that a large value is not copied before it is copied to where it is kept.
 *
 * <p>Nothing writes to the pieces any more, so threads may share it.
 */
public final class Encoded {

    private final List<ByteBuffer> pieces;
    private final int length;
    private final boolean compact;

    private Encoded(List<ByteBuffer> pieces, int length, boolean compact) {
        this.pieces = pieces;
        this.length = length;
        this.compact = compact;
    }

    /** The remaining bytes of a buffer, which is not written to any more. Nothing is copied. */
    public static Encoded of(ByteBuffer bytes) {
        ByteBuffer own = bytes.slice(); // the caller may move the limit of its own
        return new Encoded(List.of(own), own.capacity(), true);
    }

    /**
     * @param pieces from position 0 to their limits, which stay
     * @param compact whether they hold fast little more memory than they take
     */
    static Encoded of(List<ByteBuffer> pieces, int length, boolean compact) {
        return new Encoded(pieces, length, compact);
    }

    /** The number of bytes. */
    public int length() {
        return length;
    }

    /** Copies all bytes to an absolute place in a buffer, whose position stays. */
    public void copyTo(ByteBuffer target, int at) {
        copyTo(0, target, at, length);
    }

    /** Copies a range of the bytes to an absolute place in a buffer, whose position stays. */
    public void copyTo(int from, ByteBuffer target, int at, int count) {
        Objects.checkFromIndexSize(from, count, length);
        int skipped = from;
        int done = 0;
        for (ByteBuffer piece : pieces) {
            int part = Math.min(piece.limit() - skipped, count - done);
            if (part > 0) {
                target.put(at + done, piece, skipped, part);
                done += part;
            }
            skipped = Math.max(0, skipped - piece.limit());
        }
    }

    /**
     * All bytes between position 0 and the limit of one buffer, which is not to be written to; copied if there are
     * several pieces.
     */
    public ByteBuffer joined() {
        if (pieces.size() == 1) {
            return pieces.get(0).duplicate();
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        copyTo(all, 0);
        return all;
    }

    /**
     * The same bytes, to be kept for a while. A piece that is a small part of a large buffer, such as a row of a chunk,
     * is copied, so that it does not retain the whole buffer.
     */
    public Encoded compact() {
        return compact ? this : of(joined());
    }
}
