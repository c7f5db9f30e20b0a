package io.penstock.memory;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Samples that lie elsewhere, such as rows of a database, and whose names are a list in memory.
 *
 * <p>What {@code toString} says of a name is part of the sample's key. So a name also says the sample's state, such as
 * a version: a record of both does. A sample whose name changes is loaded again; the others are found in a cache.
 *
 * <p>Memory: the list. Threads: samples are loaded on {@link Schedulers#boundedElastic()} unless {@link #loadOn}
 * says where, so a load may block, and several run at once.
 */
public final class ListedDataset<N, T> implements Dataset<T> {

    private final String place;
    private final List<N> names;
    private final Load<? super N, ? extends T> load;
    private final Scheduler threads;
    private final Fingerprint fingerprint;

    /** Loads a sample. */
    @FunctionalInterface
    public interface Load<N, T> {

        /** The sample of a name; may block, and is called on several threads at once. */
        T of(N name) throws Exception;
    }

    private ListedDataset(String place, List<N> names, Load<? super N, ? extends T> load, Scheduler threads) {
        this.place = place;
        this.names = names;
        this.load = load;
        this.threads = threads;
        SampleKey all = SampleKey.of("listed", place);
        for (N name : names) {
            all = all.with(key(name));
        }
        this.fingerprint =
                Fingerprint.of("listed", place, "%d names %016x%016x".formatted(names.size(), all.high(), all.low()));
    }

    /**
     * The samples of these names, in the order of the list, which is copied.
     * @param place where they lie; part of their keys
     */
    public static <N, T> ListedDataset<N, T> of(
            String place, List<? extends N> names, Load<? super N, ? extends T> load) {
        return new ListedDataset<>(place, List.copyOf(names), load, GuardedScheduler.ELASTIC);
    }

    /**
     * The same samples, loaded on another scheduler, such as one of JDK 21's virtual threads, of which each load that
     * {@link io.penstock.stream.Execution#inFlight} allows has one; it stays the caller's to dispose.
     */
    public ListedDataset<N, T> loadOn(Scheduler scheduler) {
        return new ListedDataset<>(place, names, load, scheduler);
    }

    private N named(long index) {
        return names.get((int) Objects.checkIndex(index, size()));
    }

    private SampleKey key(N name) {
        return SampleKey.of("listed", place, name.toString());
    }

    @Override
    public long size() {
        return names.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<T> get(long index) {
        N name = named(index);
        return Mono.<T>fromCallable(Thrown.callable(() -> Objects.requireNonNull(
                        load.of(name), () -> "%s in %s was loaded as null".formatted(name, place))))
                .subscribeOn(threads);
    }

    /** The name; its state is the place and the name. */
    @Override
    public SampleId id(long index) {
        N name = named(index);
        return SampleId.of(key(name), name::toString, () -> List.of("in " + place, name.toString()));
    }

    @Override
    public String toString() {
        return "%d samples in %s".formatted(names.size(), place);
    }
}
