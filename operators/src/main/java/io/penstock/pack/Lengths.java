package io.penstock.pack;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import java.util.stream.IntStream;

/** The lengths of a dataset's sequences, by index: what plans are made of. */
final class Lengths {

    private Lengths() {}

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
