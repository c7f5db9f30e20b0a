package io.penstock.cache.ram;

import static io.penstock.testkit.TierKit.TIMEOUT;
import static io.penstock.testkit.TierKit.bytes;
import static io.penstock.testkit.TierKit.inParallel;
import static io.penstock.testkit.TierKit.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.MapTier;
import io.penstock.cache.Put;
import io.penstock.cache.Tier;
import io.penstock.cache.internal.RamIndex;
import io.penstock.cache.lazy.NumberedDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** Nothing is held twice while something is held nowhere. */
class RamTierSparesTest {

    private static final Entry SPARE = Entry.SPARE;
    private static final Entry SOLE = Entry.of(0, 1_000);

    private static boolean put(Tier tier, long number, int length, Entry about) {
        return Put.HELD.equals(
                tier.put(key(number), Encoded.of(ByteBuffer.wrap(TierKit.valueOf(number, length))), about)
                        .block(TIMEOUT));
    }

    private static Entry entry(long epoch, long loadNanos, boolean spare) {
        Entry entry = Entry.of(epoch, loadNanos);
        return spare ? entry.asSpare() : entry;
    }

    private static long held(Tier tier, long from, long to) {
        return LongStream.range(from, to)
                .filter(i -> TierKit.get(tier, key(i)) != null)
                .count();
    }

    private static ByteBuffer viewOf(Tier tier, long number) {
        ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
        assertThat(view).isNotNull();
        return view;
    }

    @Test
    void put_soleValuesIntoATierFullOfSpares_takesTheirPlace() {
        try (RamTier tier = RamTier.ofBytes(32 << 20)) {
            for (int i = 0; i < 400; i++) {
                put(tier, i, 100_000, SPARE);
            }
            long spares = tier.statistics().samples();
            List<ByteBuffer> views =
                    LongStream.range(0, spares).mapToObj(i -> viewOf(tier, i)).toList();

            for (int i = 1_000; i < 1_400; i++) {
                assertThat(tier.accepts(key(i), Entry.UNKNOWN)).isEqualTo(i < 1_000 + spares);
                assertThat(put(tier, i, 100_000, SOLE)).isEqualTo(i < 1_000 + spares);
                assertThat(tier.statistics().bytes())
                        .isLessThanOrEqualTo(tier.statistics().capacity());
            }

            assertThat(spares).isBetween(330L, 335L);
            assertThat(held(tier, 0, 400)).isZero();
            assertThat(held(tier, 1_000, 1_400))
                    .isEqualTo(spares)
                    .isEqualTo(tier.statistics().samples());
            assertThat(tier.statistics().evicted()).isEqualTo(spares);
            assertThat(tier.statistics().refused()).isEqualTo(400 - spares);
            for (int i = 0; i < spares; i++) {
                assertThat(bytes(views.get(i))).isEqualTo(TierKit.valueOf(i, 100_000));
            }
        }
    }

    @Test
    void put_oneSoleValue_givesUpTheOldestSparesOnly() {
        try (RamTier tier = RamTier.ofBytes(32 << 20)) {
            for (int i = 0; i < 400; i++) {
                put(tier, i, 100_000, SPARE);
            }
            long spares = tier.statistics().samples();

            put(tier, 1_000, 100_000, SOLE);

            long gone = tier.statistics().evicted();
            assertThat(gone).isBetween(30L, 42L); // a slab of 4 MiB
            assertThat(held(tier, 0, gone)).isZero();
            assertThat(held(tier, gone, spares)).isEqualTo(spares - gone);
            assertThat(TierKit.get(tier, key(1_000))).isEqualTo(TierKit.valueOf(1_000, 100_000));
        }
    }

    /** All spares lie in one slab: it is filled, and then given up, by some while others look for room. */
    @Test
    void put_soleValuesAtOnceWhileSparesGiveWay_areAllHeld() throws Exception {
        for (int round = 0; round < 100; round++) {
            try (RamTier tier = RamTier.ofBytes(1 << 20)) {
                inParallel(4, thread -> {
                    for (int i = 0; i < 30; i++) {
                        put(tier, 100 * thread + i, 16_000, SPARE);
                    }
                    for (int i = 50; i < 62; i++) {
                        assertThat(tier.accepts(key(100 * thread + i), SOLE)).isTrue();
                        assertThat(put(tier, 100 * thread + i, 16_000, SOLE)).isTrue();
                    }
                });

                for (int thread = 0; thread < 4; thread++) {
                    assertThat(held(tier, 100 * thread + 50, 100 * thread + 62)).isEqualTo(12);
                }
            }
        }
    }

    @Test
    void put_spareIntoAFullTier_isRefusedAndTakesNobodysPlace() {
        try (RamTier tier = RamTier.ofBytes(8 << 20)) {
            int number = 0;
            while (put(tier, number, 100_000, number % 2 == 0 ? SPARE : SOLE)) {
                number++;
            }
            assertThat(number % 2).as("only a spare finds no room").isZero();
            long evicted = tier.statistics().evicted();

            assertThat(tier.accepts(key(5_000), SPARE)).isFalse();
            assertThat(tier.accepts(key(5_000), SOLE)).isTrue();
            assertThat(put(tier, 5_000, 100_000, SPARE)).isFalse();

            assertThat(tier.statistics().evicted()).isEqualTo(evicted);
            assertThat(tier.statistics().refused()).isZero();
        }
    }

    @Test
    void put_valueLargerThanAllSpares_costsNoneOfThem() {
        try (RamTier tier = RamTier.ofBytes(8 << 20)) {
            for (int i = 0; i < 70; i++) {
                put(tier, i, 100_000, i < 35 ? SOLE : SPARE);
            }

            assertThat(put(tier, 1_000, 6_000_000, SOLE)).isFalse();

            assertThat(tier.statistics().evicted()).isZero();
            assertThat(tier.statistics().samples()).isEqualTo(70);
        }
    }

    @Test
    void put_largeValues_giveWaySinglyToo() {
        try (RamTier tier = RamTier.ofBytes(32 << 20)) {
            for (int i = 0; i < 6; i++) {
                assertThat(put(tier, i, 5_000_000, SPARE)).isTrue();
            }

            for (int i = 10; i < 16; i++) {
                assertThat(put(tier, i, 5_000_000, SOLE)).isTrue();
                assertThat(tier.statistics().samples()).isEqualTo(6);
            }

            assertThat(held(tier, 10, 16)).isEqualTo(6);
        }
    }

    @Test
    void remove_ofOneValue_missesAndCanBePutAgain() {
        try (RamTier tier = RamTier.ofBytes(8 << 20)) {
            put(tier, 1, 1_000, SOLE);
            put(tier, 2, 1_000, SOLE);
            ByteBuffer view = viewOf(tier, 1);

            tier.remove(key(1));
            tier.remove(key(1));
            tier.remove(key(99));

            assertThat(TierKit.get(tier, key(1))).isNull();
            assertThat(TierKit.get(tier, key(2))).isEqualTo(TierKit.valueOf(2, 1_000));
            assertThat(tier.statistics().samples()).isEqualTo(1);
            assertThat(bytes(view)).isEqualTo(TierKit.valueOf(1, 1_000));
            assertThat(put(tier, 1, 500, SOLE)).isTrue();
            assertThat(TierKit.get(tier, key(1))).isEqualTo(TierKit.valueOf(1, 500));
        }
    }

    @Test
    void remove_ofAllValues_givesTheirBytesBack() {
        try (RamTier tier = RamTier.ofBytes(8 << 20)) {
            for (int round = 0; round < 5; round++) {
                long held = 0;
                while (put(tier, held, 50_000 + round, SOLE)) {
                    held++;
                }
                assertThat(held).isBetween(164L, 167L);
                assertThat(tier.statistics().samples()).isEqualTo(held);

                LongStream.range(0, held).forEach(i -> tier.remove(key(i)));

                assertThat(tier.statistics().samples()).isZero();
                assertThat(tier.statistics().bytes()).isLessThan(64 << 10); // the index
            }
        }
    }

    /** Against a model: what is there is right, the counts agree, and the budget holds, for any puts and removals. */
    @Property(tries = 12)
    void tier_anyPutsAndRemovals_staysInItsBudgetAndNeverLies(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int longest = 1 << 4 + random.nextInt(17);
        int numbers = 1 + random.nextInt(300);
        try (RamTier tier = new RamTier(
                (1 << 20) + random.nextInt(16 << 20),
                SlabMemory.ofSystem(),
                random.nextBoolean() ? new Admission.FirstCome() : new Admission.SavedCost())) {
            for (int i = 0; i < 600; i++) {
                int number = random.nextInt(numbers);
                int length = (int) (number * 0x9E3779B97F4A7C15L >>> 33) % longest;
                if (random.nextInt(8) == 0) {
                    tier.remove(key(number));
                    assertThat(TierKit.get(tier, key(number))).isNull();
                } else {
                    boolean taken = put(
                            tier,
                            number,
                            length,
                            entry(random.nextInt(4), random.nextLong(1 << 30), random.nextBoolean()));
                    assertThat(TierKit.get(tier, key(number)))
                            .isEqualTo(taken ? TierKit.valueOf(number, length) : null);
                }
                assertThat(tier.statistics().bytes())
                        .isLessThanOrEqualTo(tier.statistics().capacity());
            }
            assertThat(tier.statistics().samples()).isEqualTo(held(tier, 0, numbers));
            for (int number = 0; number < numbers; number++) {
                tier.remove(key(number));
            }
            assertThat(tier.statistics().samples()).isZero();
            assertThat(tier.statistics().bytes()).isEqualTo(tier.indexBytes() - RamIndex.bytesWhenEmpty(1));
        }
    }

    @Tag("endurance")
    @Property(tries = 60)
    void tier_manyPutsAndRemovals_staysInItsBudgetAndNeverLies(@ForAll long seed) {
        tier_anyPutsAndRemovals_staysInItsBudgetAndNeverLies(seed);
    }

    private static final int UNIT = 128;
    private static final int LENGTH = 8_192 - 24;

    /** RAM 4, disk 20, data 30: all of them distinct, in the first run and after a restart, in any order. */
    @Test
    void chain_ofRamAndDisk_holdsTheSumOfBoth() {
        MapTier disk = MapTier.holding(20 * UNIT);
        for (Sampler sampler : List.of(Sampler.shuffled(3), Sampler.shuffled(4), Sampler.sequential())) {
            try (Tier ram = RamTier.ofBytes(4L * UNIT * 8_192 + (32 << 10))) {
                Dataset<Tensor> cached = new NumberedDataset(30 * UNIT, index -> LENGTH)
                        .cache(Cache.of(ram, disk), Schema.tensor("value"));

                StepVerifier.create(cached.stream(sampler.epochs(4)), 0)
                        .thenRequest(Long.MAX_VALUE)
                        .thenConsumeWhile(
                                sample -> true,
                                sample -> assertThat(sample.value().toByteArray())
                                        .isEqualTo(TierKit.valueOf(sample.draw().index(), LENGTH)))
                        .expectComplete()
                        .verify(TIMEOUT);

                long inRam = ram.statistics().samples();
                long distinct = LongStream.range(0, 30 * UNIT)
                        .filter(i -> TierKit.get(ram, cached.id(i).key()) != null
                                || disk.held.containsKey(cached.id(i).key()))
                        .count();
                assertThat(inRam).isBetween(4L * UNIT - 8, 4L * UNIT + 8);
                assertThat(disk.held).hasSize(20 * UNIT);
                assertThat(distinct).isEqualTo(inRam + 20 * UNIT);
                assertThat(cached.statistics(3).hits())
                        .containsEntry("ram", inRam)
                        .containsEntry("disk", 20L * UNIT);
            }
        }
    }

    /**
     * Writers of both kinds, removers and readers, while slabs are given up under them. A slab given up while somebody
     * copies into it would leave a key that leads nowhere: counted as held, missed, and never put again.
     */
    @Test
    void tier_slabsGivenUpUnderReadersAndWriters_neverLiesNorForgetsToCount() throws Exception {
        int keys = 4_000;
        try (RamTier tier = new RamTier(24 << 20, SlabMemory.ofSystem(), new Admission.SavedCost())) {
            AtomicInteger hits = new AtomicInteger();
            inParallel(4, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                List<ByteBuffer> views = new ArrayList<>();
                List<Integer> numbers = new ArrayList<>();
                for (int i = 0; i < 12_000; i++) {
                    int number = random.nextInt(keys);
                    int length = 5_000 + number;
                    ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
                    if (view != null) {
                        hits.incrementAndGet();
                        assertThat(view.remaining()).isEqualTo(length);
                        views.add(view);
                        numbers.add(number);
                    } else {
                        put(tier, number, length, entry(i / 8_000, random.nextLong(1 << 24), i % 3 == 0));
                    }
                    if (i % 50 == 0) {
                        tier.remove(key(random.nextInt(keys)));
                    }
                    if (views.size() == 50) {
                        for (int j = 0; j < 50; j++) {
                            assertThat(views.get(j))
                                    .isEqualTo(
                                            ByteBuffer.wrap(TierKit.valueOf(numbers.get(j), 5_000 + numbers.get(j))));
                        }
                        views.clear();
                        numbers.clear();
                    }
                    assertThat(tier.statistics().bytes())
                            .isLessThanOrEqualTo(tier.statistics().capacity());
                }
            });

            assertThat(hits).hasPositiveValue();
            assertThat(tier.statistics().evicted()).isPositive();
            assertThat(tier.statistics().samples()).isEqualTo(held(tier, 0, keys));
            for (int i = 0; i < keys; i++) {
                tier.remove(key(i));
            }
            assertThat(tier.statistics().samples()).isZero();
            assertThat(tier.statistics().bytes()).as("only the index is left").isLessThan(256 << 10);
        }
    }

    /** What is no longer read goes back to the system; what somebody reads is not counted as free for ever. */
    @Test
    void put_whileMuchOfWhatGaveWayIsStillRead_waitsForIt() {
        try (RamTier tier = RamTier.ofBytes(160 << 20)) {
            int length = 1 << 20;
            List<ByteBuffer> views = new ArrayList<>();
            for (int i = 0; put(tier, i, length, SPARE); i++) {
                views.add(viewOf(tier, i));
            }
            int spares = views.size();

            int soles = 0;
            while (put(tier, 1_000 + soles, length, SOLE)) {
                soles++;
            }

            assertThat(soles).as("64 MiB are leaving, in slabs of 8 MiB").isBetween(64, 80);
            assertThat(tier.accepts(key(5_000), Entry.UNKNOWN)).isTrue();
            for (int i = 0; i < spares; i++) {
                assertThat(views.get(i).getLong(0))
                        .isEqualTo(ByteBuffer.wrap(TierKit.valueOf(i, 8)).getLong(0));
            }

            views.clear();
            while (soles < spares && !Thread.currentThread().isInterrupted()) { // the test's timeout ends it
                if (put(tier, 1_000 + soles, length, SOLE)) {
                    soles++;
                } else {
                    System.gc();
                }
            }
            assertThat(soles).isEqualTo(spares);
        }
    }
}
