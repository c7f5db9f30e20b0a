package io.penstock.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.RamSegment.Claim;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RamIndexTest {

    private static final SampleKey DATASET = SampleKey.of("index");

    @ParameterizedTest
    @ValueSource(ints = 16)
    void index_atEverySize_takesAtMost24BytesASample(int segments) {
        RamIndex index = new RamIndex(segments, new ByteBudget(Long.MAX_VALUE));
        double most = 0;
        for (int n = 1; n <= 1_500_000; n++) {
            SampleKey key = DATASET.with(n);
            assertThat(index.claim(key) == Claim.GRANTED).isTrue();
            if (n >= 20_000 && n % 10_007 == 0) {
                most = Math.max(most, (double) index.bytes() / n);
            }
        }

        // one byte and a half below the limit: the length in front of a value counts too
        assertThat(most).isBetween(17.0, 22.0);
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(ints = {1, 128})
    void index_ofFewerOrMoreSegments_takesAtMost24BytesASample(int segments) {
        index_atEverySize_takesAtMost24BytesASample(segments);
    }

    @Test
    void budget_ofTheIndex_isWhatItTakes() {
        ByteBudget budget = new ByteBudget(Long.MAX_VALUE);
        RamIndex index = new RamIndex(16, budget);

        for (int n = 0; n < 300_000; n++) {
            index.claim(DATASET.with(n));
        }

        assertThat(budget.used() + RamIndex.bytesWhenEmpty(16)).isEqualTo(index.bytes());
    }

    @Test
    void segments_ofAnyBudgetAndLength_areFewAndAPowerOfTwo() {
        for (int length : new int[] {0, 1, 16, 1024, 150_528, Integer.MAX_VALUE - 100}) {
            for (long budget = 1; budget > 0; budget = budget * 3 + 1) {
                int segments = RamIndex.segmentsFor(budget, length);

                assertThat(Integer.bitCount(segments)).isOne();
                assertThat(segments).isBetween(1, 4096);
                assertThat(RamIndex.bytesWhenEmpty(segments)).isLessThan(Math.max(600, budget / 100));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 1024, 150_528})
    void index_sizedByItsFirstValue_takesAtMost24BytesASampleInSmallArrays(int length) {
        int samples = 400_000;
        ByteBudget budget = new ByteBudget((long) samples * (length + 24) + (1 << 20));
        RamIndex index = new RamIndex(budget);
        long most = 0;
        for (int n = 0; n < samples; n++) {
            SampleKey key = DATASET.with(n);
            index.expect(n == 0 ? length : 1); // only the first one counts
            assertThat(index.claim(key) == Claim.GRANTED).isTrue();
            index.publish(key, n + (1L << 26));
            most = Math.max(most, index.find(key));
        }

        assertThat(most).isEqualTo(samples - 1 + (1L << 26));
        assertThat(budget.used() + RamIndex.bytesWhenEmpty(1)).isEqualTo(index.bytes());
        assertThat((double) index.bytes() / samples).isBetween(17.0, 22.0);
        assertThat(index.largestSegment()).isLessThan(512 << 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void keys_thatDifferInAFewBits_areSpreadAndToldApart(int kind) {
        RamIndex index = new RamIndex(64, new ByteBudget(Long.MAX_VALUE));
        for (int n = 0; n < 200_000; n++) {
            SampleKey key = structured(kind, n);
            assertThat(index.claim(key) == Claim.GRANTED).isTrue();
            index.publish(key, n + (1L << 26));
        }

        for (int n = 0; n < 200_000; n++) {
            assertThat(index.find(structured(kind, n)) == n + (1L << 26)).isTrue();
            assertThat(index.find(structured(kind, n + 200_000)) == 0).isTrue();
        }
        assertThat(index.bytes() / 200_000.0).isLessThan(22);
    }

    private static SampleKey structured(int kind, long n) {
        return switch (kind) {
            case 0 -> new SampleKey(n, 0);
            case 1 -> new SampleKey(0, n);
            default -> new SampleKey(n << 32, n);
        };
    }
}
