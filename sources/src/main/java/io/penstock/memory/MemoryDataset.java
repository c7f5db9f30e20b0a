package io.penstock.memory;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import reactor.core.publisher.Mono;

/**
 * Samples that are in memory, or are made from their index.
 *
 * <p>Values cannot be fingerprinted, so a name and a version represent them: a program that changes the samples must
 * change one of the two, or a cache that outlives the process gives the old ones. Two data sets of one name, version
 * and size count as the same.
 */
public final class MemoryDataset<T> implements Dataset<T> {

    private final String name;
    private final long size;
    private final LongFunction<? extends Mono<T>> samples;
    private final Fingerprint named;
    private final Fingerprint fingerprint;
    private final SampleKey key;

    private MemoryDataset(String name, String version, long size, LongFunction<? extends Mono<T>> samples) {
        Arguments.refuse(name.isBlank(), "a dataset in memory needs a name: it is part of the cache key");
        this.name = name;
        this.size = size;
        this.samples = samples;
        // sizes are no part of the key: the samples that a longer list shares with a shorter one stay cached
        this.named = Fingerprint.of("memory", name, version);
        this.fingerprint = named.with(Long.toString(size));
        this.key = SampleKey.of(named);
    }

    /** The elements of a list, which is copied; they must not be changed any more. */
    public static <T> MemoryDataset<T> of(String name, List<? extends T> samples) {
        List<T> copy = List.copyOf(samples);
        return new MemoryDataset<>(name, "1", copy.size(), index -> Mono.just(copy.get((int) index)));
    }

    /**
     * The results of a function of the index, called again for each load, on the thread that loads the sample.
     * @param sample must be deterministic, thread-safe, not block and never return null; it may be slow
     * @throws IllegalArgumentException if {@code size} is negative
     */
    public static <T> MemoryDataset<T> generate(String name, long size, LongFunction<? extends T> sample) {
        Arguments.refuse(size < 0, "size must not be negative: %s", size);
        return new MemoryDataset<>(name, "1", size, index -> Mono.fromCallable(() -> required(name, index, sample)));
    }

    private static <T> T required(String name, long index, LongFunction<? extends T> sample) {
        return Objects.requireNonNull(
                sample.apply(index), () -> "dataset \"%s\" made null of index %d".formatted(name, index));
    }

    /** The same samples under another version; {@code "1"} unless set. Say a new one when the samples change. */
    public MemoryDataset<T> version(String version) {
        return new MemoryDataset<>(name, version, size, samples);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<T> get(long index) {
        return samples.apply(Objects.checkIndex(index, size));
    }

    /** {@code name#17}; its state is the name and the version. */
    @Override
    public SampleId id(long index) {
        return SampleId.of(key.with(Objects.checkIndex(index, size)), () -> name + "#" + index, named::words);
    }

    @Override
    public String toString() {
        return "memory \"%s\", %d samples".formatted(name, size);
    }
}
