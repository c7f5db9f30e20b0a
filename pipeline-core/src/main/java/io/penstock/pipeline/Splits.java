package io.penstock.pipeline;

import io.penstock.internal.index.Bits;
import io.penstock.order.internal.Mixing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/** Deals the samples of a dataset to parts: by a hash of each one's name, or exactly within each class. */
final class Splits {

    private static final double SUM_TOLERANCE = 1e-9;

    private Splits() {}

    /** Where each part ends in {@code [0, 1]}. */
    private static double[] ends(double... shares) {
        if (shares.length > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("a dataset is split into at most %d parts, was asked for %d"
                    .formatted(Byte.MAX_VALUE, shares.length));
        }
        double[] ends = new double[shares.length];
        double sum = 0;
        for (int part = 0; part < shares.length; part++) {
            if (!(shares[part] > 0 && shares[part] <= 1)) {
                throw new IllegalArgumentException("a share must be in (0, 1], was " + shares[part]);
            }
            sum += shares[part];
            ends[part] = sum;
        }
        if (Math.abs(sum - 1) > SUM_TOLERANCE) {
            throw new IllegalArgumentException(
                    "the shares must add up to 1, were %s: %s in all; name the rest as a share"
                            .formatted(Arrays.toString(shares), sum));
        }
        ends[shares.length - 1] = 1;
        return ends;
    }

    /** A random number of a name, uniform in [0, 2^63). */
    private static long hash(long seed, String name) {
        return Mixing.fold(seed, Mixing.hash(name)) >>> 1;
    }

    /** One part for each share. */
    static <T> List<Dataset<T>> split(Stage<T> input, long seed, double... shares) {
        byte[] parts = byName(input, seed, shares);
        String words = "split %s, seed %d".formatted(Arrays.toString(shares), seed);
        return IntStream.range(0, shares.length)
                .mapToObj(part -> part(input, parts, part, true, words))
                .toList();
    }

    /** The same, within each class. */
    static <T> List<Dataset<T>> stratified(Stage<T> input, long seed, LongToIntFunction label, double... shares) {
        byte[] parts = byClass(input, seed, label, shares);
        String words = "stratified %s, seed %d, labels %016x"
                .formatted(Arrays.toString(shares), seed, Mixing.hash(Arrays.toString(parts)));
        return IntStream.range(0, shares.length)
                .mapToObj(part -> part(input, parts, part, true, words))
                .toList();
    }

    /** Equal parts, each of them once for validation and the others for training. */
    static <T> List<Dataset.Fold<T>> folds(Stage<T> input, long seed, int count) {
        if (count < 2) {
            throw new IllegalArgumentException("there must be at least 2 folds, was " + count);
        }
        double[] shares = new double[count];
        Arrays.fill(shares, 1.0 / count);
        byte[] parts = byName(input, seed, shares);
        String words = "%d folds, seed %d".formatted(count, seed);
        return IntStream.range(0, count)
                .mapToObj(fold -> new Dataset.Fold<>(
                        part(input, parts, fold, false, words), part(input, parts, fold, true, words)))
                .toList();
    }

    /** By thresholds on the hash of the name, so that no sample ever changes its part. */
    private static byte[] byName(Stage<?> input, long seed, double... shares) {
        double[] ends = ends(shares);
        byte[] parts = new byte[checkedSize(input)];
        IntStream.range(0, parts.length).parallel().forEach(index -> {
            double at = hash(seed, input.id(index).name()) * 0x1p-63;
            int part = 0;
            while (at >= ends[part] && part < ends.length - 1) {
                part++;
            }
            parts[index] = (byte) part;
        });
        return parts;
    }

    /**
     * By the order of the hashes within a class. Where a part ends between two samples of a class, the class's own random
     * number decides, so that small classes do not all round the same way.
     */
    private static byte[] byClass(Stage<?> input, long seed, LongToIntFunction label, double... shares) {
        double[] ends = ends(shares);
        byte[] parts = new byte[checkedSize(input)];
        Map<Integer, List<Integer>> classes = new HashMap<>();
        for (int index = 0; index < parts.length; index++) {
            classes.computeIfAbsent(label.applyAsInt(index), its -> new ArrayList<>())
                    .add(index);
        }
        LongUnaryOperator hash = index -> hash(seed, input.id(index).name());
        classes.forEach((name, indices) -> deal(indices, hash, rounding(seed, name), ends, parts));
        return parts;
    }

    private static double rounding(long seed, int label) {
        return (Mixing.fold(~seed, label) >>> 11) * 0x1p-53;
    }

    private static void deal(
            List<Integer> indices, LongUnaryOperator hash, double rounding, double[] ends, byte[] parts) {
        long[] hashes = indices.stream().mapToLong(hash::applyAsLong).toArray();
        int[] order = IntStream.range(0, hashes.length)
                .boxed()
                .sorted((a, b) -> hashes[a] == hashes[b] ? Integer.compare(a, b) : Long.compare(hashes[a], hashes[b]))
                .mapToInt(Integer::intValue)
                .toArray();
        int part = 0;
        for (int place = 0; place < order.length; place++) {
            while (part < ends.length - 1 && place >= Math.floor(ends[part] * order.length + rounding)) {
                part++;
            }
            parts[indices.get(order[place])] = (byte) part;
        }
    }

    private static int checkedSize(Stage<?> input) {
        if (input.size() > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "a split takes at most 2^31 - 9 samples, the dataset has %d".formatted(input.size()));
        }
        return (int) input.size();
    }

    private static <T> Dataset<T> part(Stage<T> input, byte[] parts, int part, boolean in, String words) {
        Bits bits = Bits.of(parts.length, index -> parts[(int) index] == part == in);
        return new SelectedDataset<>(input, bits, (in ? "part %d of " : "all but part %d of ").formatted(part) + words);
    }
}
