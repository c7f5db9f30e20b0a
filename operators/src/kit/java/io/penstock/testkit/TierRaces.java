package io.penstock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Entry;
import io.penstock.cache.Tier;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Puts and gets by several threads at once: a value is found whole or not at all, and none is lost. */
abstract class TierRaces extends TierUnderTest {

    /** Writers put many small values while readers ask for those that are surely there, and for all others. */
    @Test
    void tier_putsAndGetsAtOnce_neverTearsNorLoses() throws Exception {
        int sure = effort(2_000);
        int keys = effort(20_000);
        try (Tier tier = open(AMPLE)) {
            IntStream.range(0, sure).forEach(i -> put(tier, key(i), valueOf(i, i % 97)));

            inParallel(4, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int i = 0; i < 4 * keys; i++) {
                    int number = i % 2 == 0 ? random.nextInt(sure) : random.nextInt(keys);
                    ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
                    if (view != null) {
                        assertThat(view).isEqualTo(ByteBuffer.wrap(valueOf(number, number % 97)));
                    } else {
                        assertThat(number).as("a held sample was missed").isGreaterThanOrEqualTo(sure);
                        put(tier, key(number), ByteBuffer.wrap(valueOf(number, number % 97)))
                                .block(TIMEOUT);
                    }
                }
            });

            settle(tier);
            assertThat(tier.statistics().samples())
                    .isEqualTo(IntStream.range(0, keys)
                            .filter(i -> get(tier, key(i)) != null)
                            .count())
                    .isGreaterThan(keys * 9L / 10);
        }
    }

    /** Readers wait for each value while it is being copied. */
    @Test
    void get_whileItIsBeingPut_givesAllOrNothing() throws Exception {
        int keys = 1_500;
        int length = 30_000;
        AtomicInteger next = new AtomicInteger();
        try (Tier tier = open(AMPLE)) {
            inParallel(3, thread -> {
                if (thread == 0) {
                    for (; next.get() < keys; next.incrementAndGet()) {
                        byte[] value = valueOf(next.get(), length);
                        put(tier, key(next.get()), ByteBuffer.wrap(value)).block(TIMEOUT);
                    }
                }
                for (int number = next.get(); number < keys; number = next.get()) {
                    ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
                    if (view != null) {
                        assertThat(view).isEqualTo(ByteBuffer.wrap(valueOf(number, length)));
                    }
                }
            });

            settle(tier);
            assertThat(tier.statistics().samples()).isEqualTo(keys);
        }
    }

    /** Values of many lengths, put by all into a tier that fills up. */
    @Test
    void tier_fillsUpUnderManyThreads_neverLiesNorExceeds() throws Exception {
        long budget = 8 << 20;
        try (Tier tier = open(budget)) {
            inParallel(4, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int i = 0; i < effort(5_000); i++) {
                    int number = random.nextInt(effort(3_000));
                    int length = number * 7 % 20_000;
                    ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
                    if (view != null) {
                        assertThat(view).isEqualTo(ByteBuffer.wrap(valueOf(number, length)));
                    } else if (tier.accepts(key(number), Entry.UNKNOWN)) {
                        put(tier, key(number), ByteBuffer.wrap(valueOf(number, length)))
                                .block(TIMEOUT);
                    }
                    assertThat(tier.statistics().bytes()).isLessThanOrEqualTo(budget);
                }
            });
        }
    }

    @Test
    void put_ofOneKeyByAllThreads_keepsOneValueWhole() throws Exception {
        try (Tier tier = open(AMPLE)) {
            inParallel(4, thread -> {
                for (int i = 0; i < 2_000; i++) {
                    put(tier, key(i), ByteBuffer.wrap(valueOf(thread, 1_000 + thread)))
                            .block(TIMEOUT);
                }
            });

            settle(tier);
            assertThat(tier.statistics().samples()).isEqualTo(2_000);
            for (int i = 0; i < 2_000; i++) {
                byte[] value = get(tier, key(i));
                assertThat(value).isNotNull().isEqualTo(valueOf(value.length - 1_000, value.length));
            }
        }
    }
}
