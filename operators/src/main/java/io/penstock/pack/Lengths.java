package io.penstock.pack;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** The lengths of a dataset's sequences, by index: what plans are made of. */
public final class Lengths {

    private Lengths() {}

    /**
     * Loads every sample once, in parallel, and keeps its length: 4 bytes a sample. Over a cached dataset this pass also
     * fills the cache.
     * @throws IllegalArgumentException if the dataset has more samples than an array holds
     */
    public static <T> Mono<int[]> of(Dataset<T> dataset, ToIntFunction<? super T> length, Execution execution) {
        int[] lengths = new int[size(dataset)];
        return dataset.map("length", length::applyAsInt).stream(Sampler.sequential(), execution)
                .reduce(lengths, (all, sample) -> {
                    all[Math.toIntExact(sample.draw().index())] = sample.isPresent() ? sample.value() : 0;
                    return all;
                });
    }

    /** As {@link #of(Dataset, ToIntFunction, Execution)}, with the standard number of loads in flight. */
    public static <T> Mono<int[]> of(Dataset<T> dataset, ToIntFunction<? super T> length) {
        return of(dataset, length, Execution.standard());
    }

    private static int size(Dataset<?> dataset) {
        if (dataset.size() > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "a plan holds at most %,d sequences, the dataset has %,d; take slices of it"
                            .formatted(Integer.MAX_VALUE - 8, dataset.size()));
        }
        return (int) dataset.size();
    }

    /** What decides a plan: its own words, then a hash over all lengths. */
    static Fingerprint fingerprint(String plan, int[] lengths) {
        long hash = lengths.length;
        for (int length : lengths) {
            hash = (hash ^ length) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
        }
        return Fingerprint.of("%s, lengths %016x".formatted(plan, hash));
    }

    /** A copy of the lengths of a plan over some sequences, none of them negative. */
    static int[] checked(int[] lengths) {
        int negative = IntStream.range(0, lengths.length)
                .filter(i -> lengths[i] < 0)
                .findFirst()
                .orElse(-1);
        if (negative >= 0) {
            throw new IllegalArgumentException(
                    "a length must not be negative: sequence %d has %d".formatted(negative, lengths[negative]));
        }
        if (IntStream.of(lengths).allMatch(length -> length == 0)) {
            throw new IllegalArgumentException(
                    lengths.length == 0
                            ? "there is no sequence to plan with; is the dataset empty?"
                            : "all %,d sequences are empty; is the length function right?".formatted(lengths.length));
        }
        return lengths.clone();
    }

    /** The numbers of the sequences, in the order that a plan takes them. */
    static int[] shuffled(int size, long seed) {
        Draws draws = Sampler.shuffled(seed).draws(size);
        return IntStream.range(0, size)
                .map(i -> Math.toIntExact(draws.at(i).index()))
                .toArray();
    }

    /** That a plan is over this dataset. */
    static void check(Dataset<?> dataset, int lengths) {
        if (dataset.size() != lengths) {
            throw new IllegalArgumentException(
                    "the plan is over %,d sequences, the dataset has %,d; take the lengths of this dataset"
                            .formatted(lengths, dataset.size()));
        }
    }
}
