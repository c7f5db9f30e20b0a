package io.penstock.cache.ram;

import static io.penstock.testkit.TierKit.TIMEOUT;
import static io.penstock.testkit.TierKit.bytes;
import static io.penstock.testkit.TierKit.inParallel;
import static io.penstock.testkit.TierKit.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.KeyedCache;
import io.penstock.cache.Tier;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The room of values that were removed is used again, whatever lies beside them. */
class RamTierRoomTest {

    private static boolean put(Tier tier, int number, int length) {
        return Boolean.TRUE.equals(TierKit.put(tier, key(number), ByteBuffer.wrap(TierKit.valueOf(number, length)))
                .block(TIMEOUT));
    }

    private static boolean holds(Tier tier, int number, int length) {
        ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
        if (view == null) {
            return false;
        }
        assertThat(bytes(view)).isEqualTo(TierKit.valueOf(number, length));
        return true;
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 30_000})
    void remove_ofEveryOtherValue_givesTheirRoomBack(int length) {
        int held = (16 << 20) / (length + 24) * 9 / 10;
        try (RamTier tier = RamTier.ofBytes(16 << 20)) {
            IntStream.range(0, 2 * held).forEach(i -> put(tier, i, length));
            long full = tier.statistics().samples();
            List<ByteBuffer> views = new ArrayList<>();
            IntStream.range(0, held).forEach(i -> views.add(tier.get(key(i)).block(TIMEOUT)));
            IntStream.range(0, held).filter(i -> i % 2 == 0).forEach(i -> tier.remove(key(i)));

            assertThat(tier.accepts(key(-1), Entry.UNKNOWN)).isTrue();
            int taken = (int) IntStream.range(2 * held, 3 * held)
                    .filter(i -> put(tier, i, length))
                    .count();

            assertThat(taken).isGreaterThan(held * 4 / 10);
            assertThat(tier.statistics().samples()).isLessThanOrEqualTo(full + 64);
            assertThat(tier.statistics().bytes()).isLessThanOrEqualTo(16 << 20);
            for (int i = 0; i < held; i++) {
                assertThat(holds(tier, i, length)).isEqualTo(i % 2 == 1);
                assertThat(bytes(views.get(i))).isEqualTo(TierKit.valueOf(i, length));
            }
            assertThat(IntStream.range(2 * held, 3 * held)
                            .filter(i -> holds(tier, i, length))
                            .count())
                    .isEqualTo(taken);
        }
    }

    @org.junit.jupiter.api.Tag("endurance")
    @Test
    void remove_ofEveryOtherSmallValue_givesTheirRoomBack() {
        remove_ofEveryOtherValue_givesTheirRoomBack(64);
    }

    @Test
    void clear_ofOneNameSpaceOfTwo_makesRoomForAsManyValues() {
        Schema<Tensor> schema = Schema.tensor("value");
        try (RamTier tier = RamTier.ofBytes(20 << 20)) {
            KeyedCache<Tensor> kept = KeyedCache.of(Cache.of(tier), schema, "kept");
            KeyedCache<Tensor> cleared = KeyedCache.of(Cache.of(tier), schema, "cleared");
            for (int i = 0; i < 16_384; i++) {
                int number = i;
                (i % 2 == 0 ? kept : cleared)
                        .get(i, () -> Tensor.ofBytes(TierKit.valueOf(number, 1_000)))
                        .block(TIMEOUT);
            }
            long before = tier.statistics().samples();

            cleared.clear().block(TIMEOUT);
            for (int i = 0; i < 16_384; i++) {
                int number = i;
                cleared.get(i, () -> Tensor.ofBytes(TierKit.valueOf(number, 1_000)))
                        .block(TIMEOUT);
            }

            assertThat(kept.size().block(TIMEOUT)).isEqualTo(8_192);
            assertThat(tier.statistics().samples()).isGreaterThan(before * 9 / 10);
        }
    }

    /** Against a map: of values of any lengths, put and removed in any order, none is ever lost or wrong. */
    @Property(tries = 10)
    void tier_anyPutsAndRemoves_holdsWhatItSays(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int longest = 1 << random.nextInt(4, 18);
        Map<Integer, Integer> model = new HashMap<>();
        try (RamTier tier = RamTier.ofBytes(6 << 20)) {
            for (int i = 0; i < 3_000; i++) {
                int number = random.nextInt(1_000);
                if (random.nextInt(3) == 0) {
                    tier.remove(key(number));
                    model.remove(number);
                } else if (!model.containsKey(number)) {
                    int length = random.nextBoolean() ? longest / 2 : random.nextInt(longest);
                    if (put(tier, number, length)) {
                        model.put(number, length);
                    }
                }
                assertThat(tier.statistics().bytes()).isLessThanOrEqualTo(6 << 20);
            }

            assertThat(tier.statistics().samples()).isEqualTo(model.size());
            for (int number = 0; number < 1_000; number++) {
                Integer length = model.get(number);
                assertThat(holds(tier, number, length == null ? 0 : length)).isEqualTo(length != null);
            }
        }
    }

    @Tag("endurance")
    @Property(tries = 40)
    void tier_manyPutsAndRemoves_holdsWhatItSays(@ForAll long seed) {
        tier_anyPutsAndRemoves_holdsWhatItSays(seed);
    }

    /** Readers ask for values that stay, while others are removed and put and all are moved about. */
    @Test
    void get_whileValuesAreMoved_findsEachWhole() throws Exception {
        int staying = 2_000;
        int passing = 4_000;
        AtomicIntegerArray held = new AtomicIntegerArray(staying + passing);
        try (RamTier tier = RamTier.ofBytes(5 << 20)) {
            for (int i = 0; i < staying + passing / 2; i++) {
                assertThat(put(tier, i % 2 == 0 && i / 2 < staying ? i / 2 : staying + i / 2, 1_000))
                        .isTrue();
            }
            IntStream.range(0, staying).filter(i -> !holds(tier, i, 1_000)).forEach(i -> put(tier, i, 1_000));

            inParallel(3, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int i = 0; i < 60_000; i++) {
                    int number = random.nextInt(staying);
                    if (thread > 0) {
                        assertThat(holds(tier, number, 1_000))
                                .as("value " + number)
                                .isTrue();
                    } else {
                        int other = staying + random.nextInt(passing);
                        if (held.get(other) == 1 || holds(tier, other, 1_000)) {
                            tier.remove(key(other));
                            held.set(other, 0);
                        } else if (put(tier, other, 1_000)) {
                            held.set(other, 1);
                        }
                    }
                }
            });
        }
    }
}
