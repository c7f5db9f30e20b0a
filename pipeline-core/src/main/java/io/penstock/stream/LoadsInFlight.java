package io.penstock.stream;

/**
 * How many loads a stream has in flight at most, and what decided it.
 *
 * @param max loads begun and not yet delivered
 */
public record LoadsInFlight(int max, Bound by) {

    /** What decides how many loads are in flight. */
    public enum Bound {
        /** {@link Execution#inFlight(int)}. */
        SET,
        /** The stream began with it, and has measured no load. */
        START,
        /** At the consumer's pace it waits for at most 1 % of the time. */
        PACE,
        /** More brought nothing. */
        SOURCE,
        /** The {@link ReadAhead}, or the default budget of bytes, holds no more. */
        BYTES,
        /** No stream sets itself a larger number. */
        MOST
    }
}
