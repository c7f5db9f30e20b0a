package io.penstock.order;

import java.util.List;

/**
 * Groups of a dataset's samples that are other ones in each epoch: batches of P classes by K samples, pairs, triplets.
 * A group is a function of its draw, so it is the same at every world size. See {@link ClassGroups}, and
 * {@link io.penstock.pipeline.Pipeline#group}.
 *
 * <p><b>Threads</b>: called from several at once.
 */
public interface DrawnGroups {

    /**
     * A word that begins so names what may be replaced where a run is resumed, such as a list of hard negatives.
     * Tokens made from then on name the new one.
     */
    String REPLACEABLE = "replaceable ";

    /** The number of groups in an epoch. */
    long size();

    /** What decides the groups, in words. Same words over the same dataset, same groups. */
    List<String> words();

    /** The draws of a group's samples, in order: a new array. {@link Draw#turn} tells two uses of one sample apart. */
    Draw[] members(Draw group);
}
