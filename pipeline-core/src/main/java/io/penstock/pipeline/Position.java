package io.penstock.pipeline;

/**
 * How far a run has come: everything before {@code offset} in {@code epoch}'s global order has been drawn.
 *
 * <p>The offset counts the draws of all ranks together, so a position survives a change of world size, of workers and of
 * batch size. {@code (epoch, 0)} is the start of an epoch; the end of one is written as the start of the next.
 */
public record Position(long epoch, long offset) {

    /** The very beginning. */
    public static final Position START = new Position(0, 0);

    public Position {
        if (epoch < 0 || offset < 0) {
            throw new IllegalArgumentException(
                    "position must not be negative: epoch %d, offset %d".formatted(epoch, offset));
        }
    }
}
