package io.penstock.order;

import java.math.BigInteger;

/**
 * How far a run has come: everything before {@code offset} in {@code epoch}'s global order has been drawn.
 *
 * <p>The offset counts the draws of all ranks together, so a position survives a change of world size, of workers and
 * of batch size. {@code (epoch, 0)} is the start of an epoch; the end of one is written as the start of the next.
 *
 * <p>Ordered by how far they are. Ranks that are in step have the same one. Under {@link Remainder#KEEP} some ranks have
 * a draw less in an epoch that does not divide: their last position lies within it, as the others draw once more. Any
 * rank's position serves behind the same draw of an epoch or behind its last one; otherwise the smallest is the run's.
 *
 * <p>A stream that is not in order ({@link io.penstock.stream.Execution#window}) delivers some draws ahead of their
 * turn. Its position then is that of one rank: where its first draw is that is missing, and which of those behind it
 * were delivered.
 *
 * @param epoch  counted from 0
 * @param offset of the first draw that is missing
 * @param ahead  bit i is set if the rank's i-th draw from the offset on was delivered; 0 in order
 */
public record Position(long epoch, long offset, BigInteger ahead) implements Comparable<Position> {

    /** The very beginning. */
    public static final Position START = new Position(0, 0);

    public Position {
        if (epoch < 0 || offset < 0) {
            throw new IllegalArgumentException(
                    "position must not be negative: epoch %d, offset %d".formatted(epoch, offset));
        }
        if (ahead.signum() < 0 || ahead.testBit(0)) {
            throw new IllegalArgumentException(
                    "draws delivered ahead must lie behind the offset, were " + ahead.toString(16));
        }
    }

    /** A position in order. */
    public Position(long epoch, long offset) {
        this(epoch, offset, BigInteger.ZERO);
    }

    @Override
    public int compareTo(Position other) {
        if (epoch != other.epoch || offset != other.offset) {
            return epoch != other.epoch ? Long.compare(epoch, other.epoch) : Long.compare(offset, other.offset);
        }
        int more = Integer.compare(ahead.bitCount(), other.ahead.bitCount());
        return more != 0 ? more : ahead.compareTo(other.ahead);
    }

    @Override
    public String toString() {
        return "Position[epoch=%d, offset=%d%s]"
                .formatted(epoch, offset, ahead.signum() == 0 ? "" : ", ahead=" + ahead.toString(16));
    }
}
