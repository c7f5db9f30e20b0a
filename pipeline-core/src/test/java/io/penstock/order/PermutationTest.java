package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.internal.Mixing;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PermutationTest {

    @Property(tries = 400)
    void at_allPositions_visitsEachIndexOnce(@ForAll @IntRange(min = 1, max = 5_000) int n, @ForAll long key) {
        Permutation permutation = new Permutation(n, key);
        BitSet seen = new BitSet(n);

        for (int position = 0; position < n; position++) {
            long index = permutation.index(position);
            assertThat(index).isBetween(0L, n - 1L);
            seen.set((int) index);
        }

        assertThat(seen.cardinality()).isEqualTo(n);
    }

    @Test
    void at_fivePositions_reachesAllOrdersEquallyOften() {
        int runs = 120 * 1_000;
        Map<String, Integer> orders = new HashMap<>();

        for (int run = 0; run < runs; run++) {
            Permutation permutation = new Permutation(5, Mixing.mix(run));
            StringBuilder order = new StringBuilder();
            for (int position = 0; position < 5; position++) {
                order.append(permutation.index(position));
            }
            orders.merge(order.toString(), 1, Integer::sum);
        }

        assertThat(orders).hasSize(120);
        double chiSquare = orders.values().stream()
                .mapToDouble(count -> (count - 1_000.0) * (count - 1_000.0) / 1_000.0)
                .sum();
        assertThat(chiSquare).isLessThan(186); // 119 degrees of freedom: exceeded once in 10,000
    }

    @Test
    void at_firstPositions_spreadOverABillion() {
        long n = 1_000_000_000;
        Permutation permutation = new Permutation(n, 7);
        int[] tenths = new int[10];
        int neighbours = 0;

        long last = -2;
        for (int position = 0; position < 100_000; position++) {
            long index = permutation.index(position);
            tenths[(int) (index / (n / 10))]++;
            neighbours += Math.abs(index - last) == 1 ? 1 : 0;
            last = index;
        }

        assertThat(Arrays.stream(tenths).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(9_600, 10_400)); // ± 4 sigma
        assertThat(neighbours).isLessThanOrEqualTo(2);
    }

    @Test
    void at_hugeDomain_staysWithin() {
        long n = (1L << 62) + 12_345;
        Permutation permutation = new Permutation(n, 99);

        for (long position = n - 1_000; position < n; position++) {
            assertThat(permutation.index(position)).isBetween(0L, n - 1);
        }
    }

    @Test
    void at_fixedPoints_areAsManyAsChanceMakes() {
        // a shuffle that never leaves a sample in place (Sattolo's) has none
        int fixed = 0;
        for (int run = 0; run < 2_000; run++) {
            Permutation permutation = new Permutation(100, Mixing.mix(run));
            for (int position = 0; position < 100; position++) {
                fixed += permutation.index(position) == position ? 1 : 0;
            }
        }

        assertThat(fixed / 2_000.0).isBetween(0.9, 1.1);
    }
}
