package io.penstock.cache.ram;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Entry;
import io.penstock.cache.ListedTier;
import io.penstock.cache.Provenance;
import io.penstock.cache.Put;
import io.penstock.cache.RemovableTier;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.tensor.Encoded;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class LruTierTest extends TierKit {

    @Override
    protected Set<Trait> traits() {
        return Set.of();
    }

    @Override
    protected RemovableTier open(long bytes) {
        return RamTier.of(CachePolicy.LRU).maxBytes(bytes).open();
    }

    private static List<Integer> numbers(Tier tier, int upTo) {
        List<SampleKey> keys = ((ListedTier) tier).keys().collectList().block(TIMEOUT);
        return IntStream.range(0, upTo)
                .filter(i -> keys.contains(key(i)))
                .boxed()
                .toList();
    }

    /** Unlike tiers that hold. */
    @Test
    @Override
    protected void put_intoAFullTier_isRefusedQuietly() {
        try (RemovableTier tier = open(4 << 20)) {
            IntStream.range(0, 100).forEach(i -> put(tier, key(i), valueOf(i, 100_000)));

            long held = tier.statistics().samples();
            assertThat(held).isBetween(38L, 41L);
            assertThat(tier.statistics().refused()).isZero();
            assertThat(tier.statistics().evicted()).isEqualTo(100 - held);
            for (int i = 0; i < 100; i++) {
                assertThat(get(tier, key(i))).isEqualTo(i < 100 - held ? null : valueOf(i, 100_000));
            }
        }
    }

    @Test
    void put_whileWhatGaveWayWaits_countsItInTheBudget() {
        Entry handedDown = new Entry(0, 0, false, true, Provenance.UNKNOWN);
        List<Put> puts = new ArrayList<>();
        try (RemovableTier tier = open(1 << 20)) {
            for (int i = 0; i < 500; i++) {
                puts.add(tier.put(key(i), Encoded.of(ByteBuffer.wrap(valueOf(i, 10_000))), handedDown)
                        .block(TIMEOUT));
            }

            long found = IntStream.range(0, 500)
                    .filter(i -> get(tier, key(i)) != null)
                    .count();
            assertThat(found).isBetween(95L, (1L << 20) / 10_000);
            assertThat(tier.statistics().samples()).isEqualTo(found);
            assertThat(tier.statistics().bytes()).isBetween(found * 10_000, 1L << 20);

            puts.forEach(put -> put.settled().run());
            assertThat(tier.statistics().samples()).isEqualTo(numbers(tier, 500).size());
        }
    }

    @Test
    void put_largerThanTheTier_isRefusedAndEvictsNothing() {
        try (RemovableTier tier = open(1 << 20)) {
            put(tier, key(1), valueOf(1, 1_000));

            put(tier, key(2), new byte[1 << 20]);

            assertThat(get(tier, key(2))).isNull();
            assertThat(get(tier, key(1))).isNotNull();
            assertThat(tier.statistics().refused()).isEqualTo(1);
        }
    }

    @Test
    void get_whatIsThenEvicted_staysAsItWas() {
        try (RemovableTier tier = open(64 << 10)) {
            put(tier, key(1), valueOf(1, 5_000));
            ByteBuffer view = tier.get(key(1)).block(TIMEOUT);

            IntStream.range(2, 100).forEach(i -> put(tier, key(i), valueOf(i, 5_000)));

            assertThat(get(tier, key(1))).isNull();
            assertThat(bytes(view)).isEqualTo(valueOf(1, 5_000));
            assertThat(view.isReadOnly()).isTrue();
        }
    }

    @Test
    void remove_ofAKey_givesItsBytesBack() {
        try (RemovableTier tier = open(1 << 20)) {
            long before = tier.statistics().bytes();
            put(tier, key(1), valueOf(1, 5_000));

            tier.remove(key(1));
            tier.remove(key(2));

            assertThat(get(tier, key(1))).isNull();
            assertThat(tier.statistics().bytes()).isEqualTo(before);
            assertThat(tier.statistics().evicted()).isZero();
        }
    }

    /** Against a list in the order of use, with values of many lengths: the same keys at every step. */
    @Property(tries = 100)
    void tier_anyUse_holdsWhatWasUsedLast(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long budget = random.nextLong(20_000, 220_000);
        LinkedHashMap<Integer, Long> model = new LinkedHashMap<>(16, 0.75f, true);
        long used = 0;
        try (RemovableTier tier = open(budget)) {
            for (int i = 0; i < 500; i++) {
                int number = random.nextInt(100);
                int length = number * 61 % 4_000;
                long cost = (length + 255L) / 256 * 264 + 160;
                byte[] found = get(tier, key(number));
                assertThat(found).isEqualTo(model.get(number) == null ? null : valueOf(number, length));
                if (found == null && random.nextInt(4) > 0) {
                    put(tier, key(number), valueOf(number, length));
                    model.put(number, cost);
                    used += cost;
                    while (used > budget) {
                        Integer eldest = model.keySet().iterator().next();
                        used -= model.remove(eldest);
                    }
                } else if (random.nextInt(20) == 0) {
                    tier.remove(key(number));
                    Long gone = model.remove(number);
                    used -= gone == null ? 0 : gone;
                }
                assertThat(tier.statistics().samples()).isEqualTo(model.size());
                assertThat(tier.statistics().bytes()).isEqualTo(used).isLessThanOrEqualTo(budget);
            }
            assertThat(numbers(tier, 100)).containsExactlyInAnyOrderElementsOf(model.keySet());
        }
    }

    /** Room that is used again while somebody still copies it out would show in the bytes. */
    @Test
    void tier_readersWhileEverythingIsEvicted_neverTears() throws Exception {
        int keys = 64;
        try (RemovableTier tier = open(keys / 4 * (79 * 264 + 160L))) {
            byte[][] values = new byte[keys][];
            Arrays.setAll(values, i -> valueOf(i, 20_000));
            inParallel(4, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int i = 0; i < 30_000; i++) {
                    int number = random.nextInt(keys);
                    ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
                    if (view == null) {
                        TierKit.put(tier, key(number), ByteBuffer.wrap(values[number]))
                                .block(TIMEOUT);
                    } else {
                        assertThat(view.equals(ByteBuffer.wrap(values[number]))).isTrue();
                    }
                }
            });

            assertThat(tier.statistics().samples()).isBetween(1L, keys / 4L);
            IntStream.range(0, keys).forEach(i -> tier.remove(key(i)));
            assertThat(tier.statistics().bytes()).isZero();
        }
    }
}
