package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;

/**
 * Which samples of a dataset make up each sample of another one: a plan that is made before anything is loaded, such as
 * by the lengths of texts. See {@link Dataset#group}.
 *
 * <p><b>Threads</b>: called from several at once.
 */
public interface Grouping {

    /** The number of groups. */
    long size();

    /** What decides the groups. Same fingerprint over the same dataset, same groups. */
    Fingerprint fingerprint();

    /** The indices of one group's samples, in order: a new array. */
    long[] members(long group);
}
