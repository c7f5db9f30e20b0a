package io.penstock.pipeline;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What a {@link Dataset} can do besides, if many of its samples lie in one place: load several as one. A stream begins
 * its draws in groups then, and {@link io.penstock.stream.Execution#inFlight} counts the groups.
 * <p><b>Threads</b>: called from several threads at once.
 */
public interface GroupLoader<T> {

    /** The max number of samples that are worth one load, such as those of 256 KiB; 1 where none are. Never changes. */
    int groupSize();

    /**
     * Loads samples as {@link Dataset#get} does, together, once subscribed to. Begins nothing before.
     * @param indices of a group, in the order in which a stream delivers them; one may come several times
     * @param receiver is told of each sample once, before the {@code Mono} ends
     * @return ends when all were told. What fails is the failure of those that were not told. Cancelled when no sample
     *     is wanted any more
     */
    Mono<Void> getAll(long[] indices, Receiver<T> receiver);

    /** What loads the samples of a dataset in groups; null if nothing does. */
    @SuppressWarnings("unchecked") // it loads samples of the dataset
    static <T> @Nullable GroupLoader<T> of(Dataset<T> dataset) {
        return dataset instanceof GroupLoader<?> loader && loader.groupSize() > 1 ? (GroupLoader<T>) loader : null;
    }

    /** Where the samples of a group go. Each is told once, in any order, from any thread. */
    interface Receiver<T> {

        /** Whether the sample at a place of the group is still waited for: what is not wanted need not be read. */
        boolean wants(int place);

        /** The sample at a place of the group. */
        void value(int place, T value);

        /** Why the sample at a place of the group cannot be loaded; the others can be. */
        void failure(int place, Throwable cause);
    }
}
