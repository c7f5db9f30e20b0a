package io.penstock.cache.ram;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.MapTier;
import io.penstock.cache.Offer;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierAround;
import io.penstock.cache.TierKit;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

class LruTierTest extends TierKit {

    @Override
    protected Set<Trait> traits() {
        return EnumSet.of(Trait.HANDS_DOWN, Trait.TELLS_KEYS, Trait.REMOVES_KEYS);
    }

    @Override
    protected Tier open(long bytes) {
        return RamTier.ofBytes(bytes, CachePolicy.LRU);
    }

    private static void offer(Tier tier, int number) {
        tier.put(key(number), Encoded.of(ByteBuffer.wrap(valueOf(number, 1_000))), Offer.UNKNOWN)
                .block(TIMEOUT);
    }

    private static List<Integer> numbers(Tier tier, int upTo) {
        List<SampleKey> keys = tier.keys().orElseThrow().collectList().block(TIMEOUT);
        return IntStream.range(0, upTo)
                .filter(i -> keys.contains(key(i)))
                .boxed()
                .toList();
    }

    /** Unlike tiers that hold. */
    @Test
    @Override
    protected void put_intoAFullTier_isRefusedQuietly() {
        try (Tier tier = open(4 << 20)) {
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

    /** Else a sample on its way down would be in no tier, and be loaded once more. */
    @Test
    void get_ofWhatIsOnItsWayDown_findsItWhileThePutBelowLasts() {
        Sinks.Empty<Void> arrived = Sinks.empty();
        MapTier disk = MapTier.leastRecentlyUsed(100);
        Tier late = new TierAround(disk) {
            @Override
            public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer) {
                return arrived.asMono().then(Mono.defer(() -> super.put(key, value, offer)));
            }
        };
        try (Tier tier = open(1 << 20)) {
            for (int i = 0; i < 20; i++) {
                tier.put(key(i), Encoded.of(ByteBuffer.wrap(valueOf(i, 100_000))), Offer.UNKNOWN, late)
                        .subscribe();
            }

            assertThat(get(tier, key(0))).isEqualTo(valueOf(0, 100_000));
            arrived.tryEmitEmpty();

            assertThat(get(tier, key(0))).isNull();
            assertThat(get(disk, key(0))).isEqualTo(valueOf(0, 100_000));
        }
    }

    @Test
    void put_largerThanTheTier_isRefusedAndEvictsNothing() {
        try (Tier tier = open(1 << 20)) {
            put(tier, key(1), valueOf(1, 1_000));

            put(tier, key(2), new byte[1 << 20]);

            assertThat(get(tier, key(2))).isNull();
            assertThat(get(tier, key(1))).isNotNull();
            assertThat(tier.statistics().refused()).isEqualTo(1);
        }
    }

    @Test
    void get_whatIsThenEvicted_staysAsItWas() {
        try (Tier tier = open(64 << 10)) {
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
        try (Tier tier = open(1 << 20)) {
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
        try (Tier tier = open(budget)) {
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

    /** RAM evicts to disk, disk evicts out, as BiLevelCache promises. */
    @Test
    void backedBy_aSlowerTier_handsDownWhatGivesWay() {
        long four = 4 * (4 * 264 + 160);
        MapTier disk = MapTier.leastRecentlyUsed(3);
        Tier ram = open(four);
        try (Tier chain = ram.backedBy(disk)) {
            IntStream.range(0, 4).forEach(i -> offer(chain, i));
            assertThat(numbers(ram, 20)).containsExactly(0, 1, 2, 3);
            assertThat(disk.held).isEmpty();

            get(ram, key(0));
            offer(chain, 4);
            offer(chain, 5);
            assertThat(numbers(ram, 20)).containsExactly(0, 3, 4, 5);
            assertThat(numbers(disk, 20)).containsExactly(1, 2);

            IntStream.range(6, 10).forEach(i -> offer(chain, i));
            assertThat(numbers(ram, 20)).containsExactly(6, 7, 8, 9);
            assertThat(numbers(disk, 20)).containsExactly(0, 4, 5);
            assertThat(bytes(disk.get(key(4)).block(TIMEOUT))).isEqualTo(valueOf(4, 1_000));

            chain.answered(1, key(4), disk.get(key(4)).block(TIMEOUT));
            assertThat(numbers(ram, 20)).containsExactly(4, 7, 8, 9);
            assertThat(numbers(disk, 20)).containsExactly(4, 5, 6);
        }
    }

    @Test
    void backedBy_aTierThatBreaks_losesNothingButWhatWasEvicted() {
        Tier ram = open(4 * (4 * 264 + 160));
        MapTier broken = MapTier.broken();
        try (Tier chain = ram.backedBy(broken)) {
            IntStream.range(0, 10).forEach(i -> offer(chain, i));

            assertThat(numbers(ram, 20)).containsExactly(6, 7, 8, 9);
        }
    }

    @Test
    void backedBy_twoSlowerTiers_isAssociative() {
        for (boolean left : new boolean[] {true, false}) {
            MapTier second = MapTier.leastRecentlyUsed(2);
            MapTier third = MapTier.holding(100);
            Tier ram = open(2 * (4 * 264 + 160));
            try (Tier chain = left ? ram.backedBy(second).backedBy(third) : ram.backedBy(second.backedBy(third))) {
                IntStream.range(0, 8).forEach(i -> offer(chain, i));

                assertThat(numbers(ram, 10)).containsExactly(6, 7);
                assertThat(numbers(second, 10)).containsExactly(4, 5);
                assertThat(numbers(third, 10)).containsExactly(0, 1, 2, 3);
                assertThat(numbers(chain, 10)).hasSize(8);
            }
        }
    }

    @Test
    void put_largerThanTheTier_goesStraightDown() {
        MapTier disk = MapTier.holding(10);
        try (Tier chain = open(4_000).backedBy(disk)) {
            StepVerifier.create(chain.put(key(1), Encoded.of(ByteBuffer.wrap(valueOf(1, 10_000))), Offer.UNKNOWN), 0)
                    .expectSubscription()
                    .thenRequest(1)
                    .expectNext(true)
                    .expectComplete()
                    .verify(TIMEOUT);

            assertThat(bytes(disk.get(key(1)).block(TIMEOUT))).isEqualTo(valueOf(1, 10_000));
        }
    }

    /** Room that is used again while somebody still copies it out would show in the bytes. */
    @Test
    void tier_readersWhileEverythingIsEvicted_neverTears() throws Exception {
        int keys = 64;
        try (Tier tier = open(keys / 4 * (79 * 264 + 160L))) {
            byte[][] values = new byte[keys][];
            Arrays.setAll(values, i -> valueOf(i, 20_000));
            inParallel(4, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int i = 0; i < 30_000; i++) {
                    int number = random.nextInt(keys);
                    ByteBuffer view = tier.get(key(number)).block(TIMEOUT);
                    if (view == null) {
                        tier.put(key(number), ByteBuffer.wrap(values[number])).block(TIMEOUT);
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
