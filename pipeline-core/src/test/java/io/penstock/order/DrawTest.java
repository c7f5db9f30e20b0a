package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class DrawTest {

    private static Draw draw(long seed, long epoch, long index) {
        return new Draw(seed, epoch, index, Position.START);
    }

    @Test
    void random_sameDrawAndStage_startsTheSameSequence() {
        RandomGenerator once = draw(1, 2, 3).random("crop");
        RandomGenerator again = draw(1, 2, 3).random("crop");

        for (int i = 0; i < 100; i++) {
            assertThat(once.nextLong()).isEqualTo(again.nextLong());
        }
    }

    @Test
    void random_anyPartChanged_startsAnother() {
        Set<Long> first = new HashSet<>();

        for (long seed = 0; seed < 10; seed++) {
            for (long epoch = 0; epoch < 10; epoch++) {
                for (long index = 0; index < 100; index++) {
                    first.add(draw(seed, epoch, index).random("crop").nextLong());
                    first.add(draw(seed, epoch, index).random("flip").nextLong());
                }
            }
        }

        assertThat(first).hasSize(20_000);
    }

    @Test
    void random_goldenNumbers_holdAcrossVersions() {
        RandomGenerator random = draw(42, 1, 7).random("crop");

        assertThat(random.nextLong()).isEqualTo(GOLDEN[0]);
        assertThat(random.nextInt(1_000)).isEqualTo((int) GOLDEN[1]);
    }

    private static final long[] GOLDEN = {6_241_180_109_305_810_873L, 410};

    @Test
    void random_firstNumbersOfManyDraws_areUniform() {
        int[] tenths = new int[10];
        for (int index = 0; index < 100_000; index++) {
            tenths[(int) (draw(0, 0, index).random("").nextDouble() * 10)]++;
        }

        assertThat(Arrays.stream(tenths).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(9_600, 10_400)); // ± 4 sigma
    }
}
