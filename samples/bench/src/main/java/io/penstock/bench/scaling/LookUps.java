package io.penstock.bench.scaling;

import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Looks up keys of a tier, one at a time in shuffled order, and copies the values.
 *
 * @param tier   to look in
 * @param keys   to look up
 * @param target where hits are copied to
 */
record LookUps(Tier tier, List<SampleKey> keys, ByteBuffer target) {

    private static final double ROUNDING = 1e-9; // of percentiles that binary fractions do not hit

    /** Microseconds of each look-up, from the shortest to the longest, all of them hits or all of them misses. */
    double[] micros(long seed, boolean hits) {
        List<SampleKey> order = new ArrayList<>(keys);
        Collections.shuffle(order, new Random(seed));
        double[] micros = new double[order.size()];
        for (int i = 0; i < micros.length; i++) {
            SampleKey key = order.get(i);
            long began = System.nanoTime();
            ByteBuffer found = tier.get(key).block();
            copy(found);
            micros[i] = (System.nanoTime() - began) / 1e3;
            if (found == null == hits) {
                throw new IllegalStateException("tier \"%s\" should %s".formatted(tier.name(), hits ? "hit" : "miss"));
            }
        }
        Arrays.sort(micros);
        return micros;
    }

    private void copy(@Nullable ByteBuffer found) {
        if (found != null) {
            target.put(0, found, found.position(), Math.min(found.remaining(), target.capacity()));
        }
    }

    /** The value that this share of the sorted ones does not exceed. */
    static double percentile(double[] sorted, double percentile) {
        int rank = (int) Math.ceil(percentile * sorted.length / 100 - ROUNDING);
        return sorted[Math.max(0, rank - 1)];
    }
}
