package io.penstock.internal.index;

import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import io.penstock.order.internal.Mixing;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/** Deals samples to parts by their names: by a hash of each name, or exactly within each class. */
public final class Splits {

    private static final double SUM_TOLERANCE = 1e-9;

    private Splits() {}

    /** Where each part ends in {@code [0, 1]}. */
    private static double[] ends(double... shares) {
        if (shares.length > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("a dataset is split into at most %d parts, was asked for %d"
                    .formatted(Byte.MAX_VALUE, shares.length));
        }
        double[] ends = new double[shares.length];
        BigDecimal sum = BigDecimal.ZERO; // of decimals: shares of 0.1 and 0.2 end where one of 0.3 does
        for (int part = 0; part < shares.length; part++) {
            if (!(shares[part] > 0 && shares[part] <= 1)) {
                throw new IllegalArgumentException("a share must be in (0, 1], was " + shares[part]);
            }
            sum = sum.add(BigDecimal.valueOf(shares[part]));
            ends[part] = sum.doubleValue();
        }
        if (Math.abs(sum.doubleValue() - 1) > SUM_TOLERANCE) {
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

    /** The part of each sample, by thresholds on the hash of the name, so that no sample ever changes its part. */
    public static byte[] byName(long size, LongFunction<String> names, long seed, double... shares) {
        double[] ends = ends(shares);
        byte[] parts = new byte[checked(size)];
        IntStream.range(0, parts.length).parallel().forEach(index -> {
            double at = hash(seed, names.apply(index)) * 0x1p-63;
            int part = 0;
            while (at >= ends[part] && part < ends.length - 1) {
                part++;
            }
            parts[index] = (byte) part;
        });
        return parts;
    }

    /**
     * The part of each sample, by the order of the hashes within a class. Where a part ends between two samples of a
     * class, the class's own random number decides, so that small classes do not all round the same way.
     */
    public static byte[] byClass(
            long size, LongFunction<String> names, long seed, LongToIntFunction label, double... shares) {
        double[] ends = ends(shares);
        byte[] parts = new byte[checked(size)];
        Map<Integer, List<Integer>> classes = new HashMap<>();
        for (int index = 0; index < parts.length; index++) {
            classes.computeIfAbsent(label.applyAsInt(index), its -> new ArrayList<>())
                    .add(index);
        }
        LongUnaryOperator hash = index -> hash(seed, names.apply(index));
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

    private static int checked(long size) {
        Arguments.refuse(
                size > HeapLimit.MAX_ARRAY, "a split takes at most 2^31 - 9 samples, the dataset has %d", size);
        return (int) size;
    }
}
