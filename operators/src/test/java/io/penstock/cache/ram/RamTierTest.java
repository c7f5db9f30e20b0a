package io.penstock.cache.ram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Entry;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.internal.FreeMemory;
import io.penstock.cache.internal.RamIndex;
import io.penstock.testkit.TierKit;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RamTierTest extends TierKit {

    @Override
    protected Set<Trait> traits() {
        return Set.of(Trait.ANSWERS_GROUPS, Trait.SPARES_GIVE_WAY);
    }

    @Override
    protected Tier open(long bytes) {
        return RamTier.ofBytes(bytes);
    }

    private static BufferPoolMXBean pool(String name) {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void ofBytes_ofNothing_isRefused(long bytes) {
        assertThatThrownBy(() -> RamTier.ofBytes(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a RAM cache needs more than the ")
                .hasMessageEndingWith("was " + bytes);
    }

    @ParameterizedTest
    @EnumSource
    void ofBytes_tooFewForAnySample_isRefused(CachePolicy policy) {
        assertThatThrownBy(() -> RamTier.of(policy).maxBytes(10).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a RAM cache needs more than the ");
        assertThatThrownBy(() -> RamTier.ofBytes(10)).hasMessageEndingWith("was 10");
    }

    @Test
    void ofBytes_moreThanThereIs_isRefusedWithAWayOut() {
        assertThatThrownBy(() -> RamTier.ofBytes(1L << 60))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not fit into this machine or container of")
                .hasMessageEndingWith("give it less");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.5, 1.01, Double.NaN, Double.POSITIVE_INFINITY})
    void maxFreeShare_notAShare_isRefused(double share) {
        assertThatThrownBy(
                        () -> RamTier.of(CachePolicy.HOLD).maxFreeShare(share).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the share of free memory must be in (0, 1], was " + share);
    }

    @Test
    void share_ofFreeMemory_leavesTheHeapItsRoom() {
        assertThat(FreeMemory.share(0.5, 1000, 200)).isEqualTo(400);

        assertThatThrownBy(() -> FreeMemory.share(0.5, 1000, 1000))
                .hasMessage("no memory is left for a RAM cache: 1000 bytes are free, and the heap may grow by 1000;"
                        + " lower -Xmx or give a size in bytes");
        assertThatThrownBy(() -> FreeMemory.share(0.5, Long.MAX_VALUE, 1000))
                .hasMessage("this system does not say how much memory is free; give a size in bytes");
    }

    @Test
    void freeBytes_here_areSomeAndNotMoreThanAreFree() {
        long free = RamTier.freeBytes().orElseThrow();

        assertThat(free).isBetween(1L, FreeMemory.now().total());
    }

    @Test
    void maxFreeShare_ofAHundredth_worksWithinIt() {
        try (Tier tier = RamTier.of(CachePolicy.HOLD).maxFreeShare(0.01).open()) {
            put(tier, key(1), valueOf(1, 1000));

            assertThat(tier.statistics().capacity())
                    .isBetween(1L << 20, FreeMemory.now().total() / 100);
            assertThat(get(tier, key(1))).isEqualTo(valueOf(1, 1000));
        }
    }

    @Test
    void get_hitOrMiss_isAScalar() {
        try (Tier tier = open(AMPLE)) {
            put(tier, key(1), valueOf(1, 10));

            assertThat(tier.get(key(1))).isInstanceOf(Callable.class);
            assertThat(tier.get(key(2))).isInstanceOf(Callable.class);
        }
    }

    @Test
    void get_view_isReadOnlyAndOffTheHeap() {
        try (Tier tier = open(AMPLE)) {
            put(tier, key(1), valueOf(1, 10));

            ByteBuffer view = tier.get(key(1)).block();

            assertThat(view.isDirect()).isTrue();
            assertThat(view.capacity()).isEqualTo(10);
            assertThatThrownBy(() -> view.put(0, (byte) 1)).isInstanceOf(ReadOnlyBufferException.class);
        }
    }

    @Test
    void put_manyBytes_countsAgainstNoLimitOfDirectMemory() {
        long direct = pool("direct").getMemoryUsed();
        try (Tier tier = open(AMPLE)) {
            for (int i = 0; i < 400; i++) {
                put(tier, key(i), valueOf(i, 150_528));
            }

            assertThat(tier.statistics().samples()).isEqualTo(400);
            assertThat(pool("direct").getMemoryUsed()).isLessThan(direct + (1 << 20));
        }
    }

    @Test
    void put_withoutADirectoryOnADisk_usesDirectMemoryWithinTheBudget() {
        long direct = pool("direct").getMemoryUsed();
        try (Tier tier = new RamTier(8 << 20, new SlabMemory(List.of(Path.of("/proc"), Path.of("/nowhere"))))) {
            for (int i = 0; i < 1000; i++) {
                put(tier, key(i), valueOf(i, 5_000 + i * 17));
            }

            long held = pool("direct").getMemoryUsed() - direct;
            assertThat(held).isBetween(7L << 20, 8L << 20);
            assertThat(tier.statistics().samples()).isGreaterThan(500);
            for (int i = 0; i < 1000; i++) {
                assertThat(get(tier, key(i))).isIn(null, valueOf(i, 5_000 + i * 17));
            }
        }
    }

    @Test
    void put_onAnInterruptedThread_isTakenAndStaysInterrupted() {
        try (Tier tier = open(AMPLE)) {
            Thread.currentThread().interrupt();

            TierKit.put(tier, key(1), ByteBuffer.wrap(valueOf(1, 1000))).subscribe();
            TierKit.put(tier, key(2), ByteBuffer.wrap(valueOf(2, 9_000_000))).subscribe();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(get(tier, key(1))).isEqualTo(valueOf(1, 1000));
            assertThat(get(tier, key(2))).isEqualTo(valueOf(2, 9_000_000));
            assertThat(pool("mapped").getCount()).isPositive();
        }
    }

    @Test
    void put_tooLargeForTheRest_leavesRoomForSmallerOnes() {
        try (Tier tier = open(1 << 20)) {
            put(tier, key(1), valueOf(1, 900_000));
            put(tier, key(2), valueOf(2, 900_000));
            put(tier, key(3), valueOf(3, 50_000));

            assertThat(get(tier, key(1))).isNotNull();
            assertThat(get(tier, key(2))).isNull();
            assertThat(get(tier, key(3))).isEqualTo(valueOf(3, 50_000));
            assertThat(tier.statistics().refused()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 1_000})
    void put_intoAFewKibibytes_fillsThem(int length) {
        try (Tier tier = open(8 << 10)) {
            for (int i = 0; i < 8 << 10; i++) {
                put(tier, key(i), valueOf(i, length));
            }

            long samples = tier.statistics().samples();
            assertThat(samples * (length + 17)).isLessThanOrEqualTo(8_192);
            assertThat(samples * (length + 26)).isGreaterThan(6_000);
            assertThat(tier.accepts(key(0), Entry.UNKNOWN)).isFalse();
        }
    }

    @Test
    void capacity_ofATinyTier_isWhatOneValueMayTake() {
        try (Tier tier = open(4 << 10)) {
            int capacity = (int) tier.statistics().capacity();

            put(tier, key(1), valueOf(1, capacity - 2));

            assertThat(capacity).isGreaterThan(3_000);
            assertThat(get(tier, key(1))).isNotNull();
            assertThat(tier.statistics().bytes()).isEqualTo(capacity);
        }
    }

    @Test
    void accepts_onceNoValueSoFarWouldFit_isFalse() {
        try (Tier tier = open(1 << 20)) {
            int puts = 0;
            while (tier.accepts(key(puts), Entry.UNKNOWN)) {
                put(tier, key(puts), valueOf(puts, 10_000));
                puts++;
            }

            assertThat(puts).isBetween(100, 104);
            assertThat(tier.statistics().samples()).isEqualTo(puts);
        }
    }

    @Test
    void accepts_onceNothingHasFittedForLong_isFalse() {
        try (Tier tier = open(1 << 20)) {
            put(tier, key(0), valueOf(0, 1));

            int puts = 1;
            while (tier.accepts(key(puts), Entry.UNKNOWN) && puts < 1_000) {
                put(tier, key(puts), valueOf(puts, 10_000));
                puts++;
            }

            assertThat(puts).isBetween(200, 210);
            assertThat(tier.statistics().refused()).isEqualTo(100);
        }
    }

    /** Counted again, from the outside: lengths, and the arrays there are. */
    @Property(tries = 60)
    void budget_anyLengths_isNeverExceeded(@ForAll @LongRange(min = 500, max = 4 << 20) long bytes, @ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int longest = 1 << random.nextInt(22);
        long values = 0;
        try (RamTier tier = new RamTier(bytes, SlabMemory.ofSystem())) {
            for (int i = 0; i < 500; i++) {
                SampleKey key = key(i);
                int length = random.nextInt(longest);
                long samples = tier.statistics().samples();
                put(tier, key, new byte[length]);
                values += tier.statistics().samples() > samples ? length : 0;

                assertThat(tier.statistics().bytes())
                        .isLessThanOrEqualTo(tier.statistics().capacity());
                assertThat(values + tier.indexBytes()).isLessThanOrEqualTo(Math.max(bytes, RamIndex.bytesWhenEmpty(1)));
            }
        }
    }

    @Test
    void close_withoutViews_givesTheMappingsBack() {
        long before = mappedAfterCollecting();
        Tier tier = open(AMPLE);
        for (int i = 0; i < 400; i++) {
            put(tier, key(i), valueOf(i, 150_528));
        }
        assertThat(pool("mapped").getMemoryUsed()).isGreaterThan(before + (50L << 20));

        tier.close();

        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (pool("mapped").getMemoryUsed() > before && System.nanoTime() < deadline) {
            System.gc();
            LockSupport.parkNanos(10_000_000); // for the thread that unmaps
        }
        assertThat(pool("mapped").getMemoryUsed()).isLessThanOrEqualTo(before);
    }

    @Test
    void close_ofALargeTier_hasTheCollectorRunSoon() {
        long before = mappedAfterCollecting();
        openLarge().close();

        while (pool("mapped").getMemoryUsed() > before) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void open_afterALargeTierWasClosed_hasTheCollectorRunFirst() {
        Tier large = openLarge();
        long collections = collections();
        large.close();

        open(AMPLE).close();

        assertThat(collections()).isGreaterThan(collections);
    }

    private Tier openLarge() {
        Tier tier = open(2 * AMPLE);
        for (int i = 0; i < 500; i++) {
            put(tier, key(i), valueOf(i, 150_528));
        }
        return tier;
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** What earlier tests left goes a while after the collector has found it. */
    private static long mappedAfterCollecting() {
        long used = Long.MAX_VALUE;
        int same = 0;
        while (same < 5) {
            System.gc();
            long now = pool("mapped").getMemoryUsed();
            same = now == used ? same + 1 : 0;
            used = now;
        }
        return used;
    }
}
