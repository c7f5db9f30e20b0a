package io.penstock.pipeline;

/**
 * What is found out about many samples at once, such as their mean: see {@link Dataset#summarise}.
 *
 * <p><b>Threads</b>: called from several threads at once, each with a summary of its own.
 */
public interface Summary<T, S> {

    /** A new summary, of no samples. */
    S empty();

    /** Adds a sample. */
    void add(S into, T sample);

    /** Adds the summary of samples that come later in the dataset. */
    void merge(S into, S later);

    /** A summary as bytes. */
    byte[] write(S summary);

    /** The same summary again: merging it must have the same result as merging the one that was written. */
    S read(byte[] bytes);
}
