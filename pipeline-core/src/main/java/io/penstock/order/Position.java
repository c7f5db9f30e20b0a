package io.penstock.order;

/**
 * How far a run has come: everything before {@code offset} in {@code epoch}'s global order has been drawn.
 *
 * <p>The offset counts the draws of all ranks together, so a position survives a change of world size, of workers and
 * of batch size. {@code (epoch, 0)} is the start of an epoch; the end of one is written as the start of the next.
 *
 * <p>Ordered by how far they are. Ranks that are in step have the same one, except that under {@link Remainder#KEEP}
 * some ranks have a draw less and reach the next epoch before the others; the smallest position is that of the run.
 */
public record Position(long epoch, long offset) implements Comparable<Position> {

    /** The very beginning. */
    public static final Position START = new Position(0, 0);

    public Position {
        if (epoch < 0 || offset < 0) {
            throw new IllegalArgumentException(
                    "position must not be negative: epoch %d, offset %d".formatted(epoch, offset));
        }
    }

    @Override
    public int compareTo(Position other) {
        return epoch != other.epoch ? Long.compare(epoch, other.epoch) : Long.compare(offset, other.offset);
    }
}
