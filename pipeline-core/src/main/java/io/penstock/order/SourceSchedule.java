package io.penstock.order;

/**
 * Which source of a mixture each draw is of: any number of draws from the start on has less than one draw more or less
 * of each source than the weights say. Draws are numbered from 0 where the schedule begins. Immutable to its callers.
 */
sealed interface SourceSchedule permits PeriodicSchedule, ListedSchedule {

    /** The source of a draw. */
    int source(long draw);

    /** How often a draw's source was drawn before it. */
    long before(long draw, int source);

    /** How often a source is drawn in the first {@code draws} draws. */
    long count(int source, long draws);

    /** The number of the draw that is a source's {@code nth}, both counted from 0; {@link Long#MAX_VALUE} if none is. */
    long find(int source, long nth);

    /** The weights by the draws, counted over all epochs. */
    WeightList weights();

    /** The weights in whole numbers, as a resume token keeps them. */
    @Override
    String toString();
}
