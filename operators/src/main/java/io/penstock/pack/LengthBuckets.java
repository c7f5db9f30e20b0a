package io.penstock.pack;

import io.penstock.internal.Arguments;
import io.penstock.pipeline.Grouping;
import java.util.Arrays;

/**
 * Groups sequences of similar lengths into batches of n sequences: bounds {@code 10, 20} make the buckets {@code < 10},
 * {@code 10…19} and {@code ≥ 20}, and a batch has sequences of one bucket.
 * <pre>{@code
 *  Dataset<Group<Text>> groups = texts.group(LengthBuckets.of(64, 128, 256, 512).seed(7).plan(lengths));
 *  Flux<Batch> batches = groups.stream(sampler).transform(Batches.ofGroups(Schema.of(Text.class)));
 * }</pre>
 *
 * <p>As with {@link TokenBudget} the groups are planned once, so all ranks have the same number of batches, and resuming
 * is exact at any world size. The sequences of a bucket are grouped in a random order of the seed. The last group of
 * each bucket may have fewer.
 *
 * <p>Immutable; every method returns a copy.
 */
public final class LengthBuckets {

    private final int n;
    private final int[] bounds;
    private final long seed;

    private LengthBuckets(int n, int[] bounds, long seed) {
        this.n = n;
        this.bounds = bounds;
        this.seed = seed;
    }

    /**
     * At most {@code n} sequences a batch.
     * @throws IllegalArgumentException if {@code n < 1}, there is no bound, or they do not ascend from 1 on
     */
    public static LengthBuckets of(int n, int... bounds) {
        Arguments.refuse(n < 1, "a batch must have at least 1 sequence, was %s", n);
        for (int i = 0; i < bounds.length; i++) {
            if (bounds[i] <= (i == 0 ? 0 : bounds[i - 1])) {
                throw new IllegalArgumentException(
                        "the bounds of buckets must ascend from 1 on, were " + Arrays.toString(bounds));
            }
        }
        Arguments.refuse(bounds.length == 0, "buckets need a bound between them; without one, pad batches instead");
        return new LengthBuckets(n, bounds.clone(), 0);
    }

    /** The seed of the order in which sequences are assigned to groups: 0 unless set. */
    public LengthBuckets seed(long seed) {
        return new LengthBuckets(n, bounds, seed);
    }

    /**
     * The groups of sequences of these lengths, by index.
     * @throws IllegalArgumentException if a length is negative, all are 0, or there is none
     */
    public Grouping plan(int[] lengths) {
        int[] checked = Lengths.checked(lengths);
        int[] order = new int[checked.length];
        int[] ends = new int[checked.length];
        int[][] waiting = new int[bounds.length + 1][Math.min(n, checked.length)];
        int[] count = new int[waiting.length];
        int groups = 0;
        for (int sequence : Lengths.shuffled(checked.length, seed)) {
            int bucket = bucket(checked[sequence]);
            waiting[bucket][count[bucket]++] = sequence;
            if (count[bucket] == n) {
                groups = add(waiting[bucket], n, order, ends, groups);
                count[bucket] = 0;
            }
        }
        for (int bucket = 0; bucket < waiting.length; bucket++) {
            groups = count[bucket] == 0 ? groups : add(waiting[bucket], count[bucket], order, ends, groups);
        }
        String words = "batches of %d in buckets %s, seed %d".formatted(n, Arrays.toString(bounds), seed);
        return new PlannedGroups(
                order,
                Arrays.copyOf(ends, groups),
                Lengths.fingerprint(words, checked),
                "batches of %,d in %,d buckets".formatted(n, waiting.length));
    }

    private int bucket(int length) {
        int found = Arrays.binarySearch(bounds, length);
        return found >= 0 ? found + 1 : -found - 1;
    }

    /** Adds a group behind the others, and returns how many there are now. */
    private static int add(int[] members, int count, int[] order, int[] ends, int groups) {
        int begin = groups == 0 ? 0 : ends[groups - 1];
        System.arraycopy(members, 0, order, begin, count);
        ends[groups] = begin + count;
        return groups + 1;
    }
}
