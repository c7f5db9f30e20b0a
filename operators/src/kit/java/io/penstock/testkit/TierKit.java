package io.penstock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.cache.Entry;
import io.penstock.cache.ListedTier;
import io.penstock.cache.Provenance;
import io.penstock.cache.Put;
import io.penstock.cache.RemovableTier;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** What it means to be a tier. A test class of a tier extends this and says how to open one. */
public abstract class TierKit extends TierRaces {

    @Test
    void get_ofNothing_isEmpty() {
        try (Tier tier = open(AMPLE)) {
            StepVerifier.create(tier.get(key(1)), 0).expectComplete().verify(TIMEOUT);

            assertThat(tier.statistics().misses()).isEqualTo(1);
            assertThat(tier.statistics().samples()).isZero();
            assertThat(tier.statistics().hits()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 7, 127, 128, 129, 1023, 16_383, 16_384, 150_533, 1 << 20, (1 << 20) + 1, 9_999_999})
    void get_afterPut_givesTheBytes(int length) {
        try (Tier tier = open(AMPLE)) {
            byte[] value = valueOf(length, length);

            put(tier, key(length), value);

            assertThat(get(tier, key(length))).isEqualTo(value);
            assertThat(get(tier, key(length))).isEqualTo(value);
            assertThat(get(tier, key(length + 1))).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5_000, 20_000, 120_000})
    void put_ofAValueInPieces_getsItsBytes(int length) {
        try (Tier tier = open(AMPLE)) {
            Schema<Tensor> schema = Schema.tensor("bytes");
            Tensor tensor = Tensor.ofBytes(valueOf(1, length));
            Tensor row = Tensor.ofBytes(valueOf(2, 4 * length), 4, length).row(2); // which no tier may hold fast

            StepVerifier.create(tier.put(key(1), schema.encode(tensor), Entry.UNKNOWN))
                    .expectNext(Put.HELD)
                    .expectComplete()
                    .verify(TIMEOUT);
            StepVerifier.create(tier.put(key(2), schema.encode(row), Entry.UNKNOWN))
                    .expectNext(Put.HELD)
                    .expectComplete()
                    .verify(TIMEOUT);

            assertThat(schema.decode(ByteBuffer.wrap(get(tier, key(1))))).isEqualTo(tensor);
            assertThat(schema.decode(ByteBuffer.wrap(get(tier, key(2))))).isEqualTo(row);
        }
    }

    @Test
    void getAll_whereItAnswers_agreesWithGet() {
        try (Tier tier = open(AMPLE)) {
            SampleKey[] keys = new SampleKey[40];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = key(i);
                if (i % 3 != 0) {
                    put(tier, keys[i], valueOf(i, i * 37));
                }
            }
            TierStatistics before = tier.statistics();
            @Nullable ByteBuffer[] found = new ByteBuffer[keys.length];

            assertThat(tier.getAll(keys, found)).isEqualTo(traits().contains(Trait.ANSWERS_GROUPS));
            assumeThat(traits()).contains(Trait.ANSWERS_GROUPS);

            assertThat(tier.statistics().hits() - before.hits()).isEqualTo(26);
            assertThat(tier.statistics().misses() - before.misses()).isEqualTo(14);
            for (int i = 0; i < keys.length; i++) {
                byte[] alone = get(tier, keys[i]);
                ByteBuffer grouped = found[i];
                assertThat(grouped == null ? null : bytes(grouped)).isEqualTo(alone);
            }
        }
    }

    @Test
    void put_twice_keepsTheFirst() {
        try (Tier tier = open(AMPLE)) {
            put(tier, key(1), valueOf(1, 100));
            long bytes = tier.statistics().bytes();

            put(tier, key(1), valueOf(2, 300));

            assertThat(get(tier, key(1))).isEqualTo(valueOf(1, 100));
            assertThat(tier.statistics().samples()).isEqualTo(1);
            assertThat(tier.statistics().bytes()).isEqualTo(bytes);
        }
    }

    @Test
    void put_partOfABuffer_takesWhatRemains() {
        try (Tier tier = open(AMPLE)) {
            byte[] value = valueOf(1, 100);
            ByteBuffer direct = ByteBuffer.allocateDirect(100).put(0, value);
            ByteBuffer part = direct.position(10).limit(60);

            put(tier, key(1), part.asReadOnlyBuffer()).block(TIMEOUT);
            settle(tier);
            direct.clear().put(new byte[100]);

            assertThat(get(tier, key(1))).isEqualTo(java.util.Arrays.copyOfRange(value, 10, 60));
        }
    }

    @Test
    void get_twoViews_areIndependent() {
        try (Tier tier = open(AMPLE)) {
            put(tier, key(1), valueOf(1, 64));

            ByteBuffer first = tier.get(key(1)).block(TIMEOUT);
            ByteBuffer second = tier.get(key(1)).block(TIMEOUT);
            first.position(10);

            assertThat(bytes(second)).isEqualTo(valueOf(1, 64));
            assertThat(second.position()).isZero();
        }
    }

    @Test
    protected void put_intoAFullTier_isRefusedQuietly() {
        long budget = 4 << 20;
        try (Tier tier = open(budget)) {
            IntStream.range(0, 100).forEach(i -> put(tier, key(i), valueOf(i, 100_000)));

            TierStatistics full = tier.statistics();
            long held = IntStream.range(0, 100)
                    .filter(i -> get(tier, key(i)) != null)
                    .count();

            assertThat(full.samples()).isEqualTo(held).isBetween(20L, 41L);
            assertThat(full.refused()).isEqualTo(100 - held);
            assertThat(full.bytes()).isBetween(held * 100_000, budget);
            assertThat(full.bytes()).isLessThanOrEqualTo(full.capacity());
            for (int i = 0; i < 100; i++) {
                assertThat(get(tier, key(i))).isIn(null, valueOf(i, 100_000));
            }
        }
    }

    @Test
    void statistics_ofGets_addUp() {
        try (Tier tier = open(AMPLE)) {
            IntStream.range(0, 50).forEach(i -> put(tier, key(i), valueOf(i, i)));

            IntStream.range(0, 80).forEach(i -> get(tier, key(i)));

            TierStatistics statistics = tier.statistics();
            assertThat(statistics.hits()).isEqualTo(50);
            assertThat(statistics.misses()).isEqualTo(30);
            assertThat(statistics.samples()).isEqualTo(50);
            assertThat(statistics.bytes()).isBetween(50L * 49 / 2, statistics.capacity());
            assertThat(statistics.refused()).isZero();
        }
    }

    @Test
    void accepts_whileThereIsRoom_isTrue() {
        try (Tier tier = open(AMPLE)) {
            assertThat(tier.accepts(key(1), Entry.UNKNOWN)).isTrue();

            put(tier, key(1), valueOf(1, 1000));

            assertThat(tier.accepts(key(2), Entry.UNKNOWN)).isTrue();
        }
    }

    @Test
    void remove_ofOneKey_forgetsThatOne() {
        try (Tier tier = open(AMPLE)) {
            assumeThat(tier).isInstanceOf(RemovableTier.class);
            put(tier, key(1), valueOf(1, 1_000));
            put(tier, key(2), valueOf(2, 1_000));

            ((RemovableTier) tier).remove(key(1));

            assertThat(get(tier, key(1))).isNull();
            assertThat(get(tier, key(2))).isEqualTo(valueOf(2, 1_000));
        }
    }

    @Test
    void keys_ofWhatWasPut_areThose() {
        try (Tier tier = open(AMPLE)) {
            assumeThat(tier).isInstanceOf(ListedTier.class);
            put(tier, key(1), valueOf(1, 1_000));
            put(tier, key(2), valueOf(2, 1_000));

            assertThat(((ListedTier) tier).keys().collect(Collectors.toSet()).block(TIMEOUT))
                    .isEqualTo(Set.of(key(1), key(2)));
        }
    }

    /** What gives way is handed back. A value that the tier has room to keep meanwhile is found until the put is settled. */
    @Test
    void put_whereOthersGiveWay_handsThemBack() {
        try (Tier tier = open(4 << 20)) {
            assumeThat(tier.eviction()).isEqualTo(Tier.Eviction.RETURNED);
            Entry handedDown = new Entry(0, 0, false, true, Provenance.UNKNOWN);
            Map<SampleKey, byte[]> gone = new HashMap<>();
            for (int i = 0; i < 100; i++) {
                Put put = tier.put(
                                key(i), Encoded.of(ByteBuffer.wrap(valueOf(i, 100_000))), handedDown)
                        .block(TIMEOUT);
                put.displaced().forEach(one -> {
                    assertThat(get(tier, one.key())).isEqualTo(bytes(one.value()));
                    gone.put(one.key(), bytes(one.value()));
                });
                put.settled().run();
            }

            assertThat(gone).hasSizeBetween(50, 90);
            for (int i = 0; i < 100; i++) {
                byte[] displaced = gone.get(key(i));
                assertThat(displaced == null ? get(tier, key(i)) : displaced).isEqualTo(valueOf(i, 100_000));
                assertThat(displaced == null || get(tier, key(i)) == null).isTrue();
            }
        }
    }

    @Test
    void put_ofASpareCopy_givesWayToAValueThatNoOtherHolds() {
        assumeThat(traits()).contains(Trait.SPARES_GIVE_WAY);
        try (Tier tier = open(8 << 20)) {
            for (int i = 0; i < 100; i++) {
                tier.put(key(i), Encoded.of(ByteBuffer.wrap(valueOf(i, 100_000))), Entry.SPARE)
                        .block(TIMEOUT);
            }

            assertThat(tier.accepts(key(100), Entry.SPARE)).isFalse();
            assertThat(tier.accepts(key(100), Entry.UNKNOWN)).isTrue();
            put(tier, key(100), valueOf(100, 100_000));
            assertThat(get(tier, key(100))).isEqualTo(valueOf(100, 100_000));
        }
    }

    @Test
    void close_whileViewsAreHeld_leavesThemValid() {
        Tier tier = open(AMPLE);
        List<ByteBuffer> views = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            put(tier, key(i), valueOf(i, 10_000));
            views.add(tier.get(key(i)).block(TIMEOUT));
        }

        tier.close();
        System.gc();

        for (int i = 0; i < 100; i++) {
            assertThat(bytes(views.get(i))).isEqualTo(valueOf(i, 10_000));
        }
    }

    @Test
    void close_thenEverythingElse_missesAndRefuses() {
        Tier tier = open(AMPLE);
        put(tier, key(1), valueOf(1, 10));

        tier.close();
        tier.close();

        assertThat(get(tier, key(1))).isNull();
        assertThat(tier.accepts(key(2), Entry.UNKNOWN)).isFalse();
        put(tier, key(2), ByteBuffer.allocate(10)).block(TIMEOUT);
        assertThat(get(tier, key(2))).isNull();
    }

    /** Against a map: what was put first, byte for byte, also for keys that are not well mixed. */
    @Property(tries = 12)
    void tier_anyPutsAndGets_actsAsAMap(@ForAll long seed, @ForAll @IntRange(min = 1, max = 400) int operations) {
        SplittableRandom random = new SplittableRandom(seed);
        int longest = 1 << random.nextInt(18);
        Map<SampleKey, byte[]> model = new HashMap<>();
        try (Tier tier = open(2 * AMPLE)) {
            for (int i = 0; i < operations; i++) {
                long number = random.nextInt(100);
                SampleKey key = switch (random.nextInt(4)) {
                    case 0 -> new SampleKey(number, 0);
                    case 1 -> new SampleKey(0, number);
                    case 2 -> new SampleKey(number, number);
                    default -> key(number);
                };
                if (random.nextInt(3) > 0) {
                    byte[] value = valueOf(random.nextLong(), random.nextInt(longest));
                    put(tier, key, value);
                    model.putIfAbsent(key, value);
                }
                assertThat(get(tier, key)).isEqualTo(model.get(key));
            }
            assertThat(tier.statistics().samples()).isEqualTo(model.size());
            model.forEach((key, value) -> assertThat(get(tier, key)).isEqualTo(value));
        }
    }

    /** A test of JUnit's: where it runs alone, its class needs the fields that JUnit sets. */
    @Test
    @Tag("endurance")
    void tier_manyPutsAndGets_actsAsAMap() {
        SplittableRandom random = new SplittableRandom(42);
        for (int run = 0; run < 60; run++) {
            tier_anyPutsAndGets_actsAsAMap(random.nextLong(), random.nextInt(1, 401));
        }
    }
}
