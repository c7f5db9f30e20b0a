package io.penstock.cache;

import static io.penstock.testkit.TierKit.TIMEOUT;
import static io.penstock.testkit.TierKit.bytes;
import static io.penstock.testkit.TierKit.get;
import static io.penstock.testkit.TierKit.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import io.penstock.internal.Begun;
import io.penstock.tensor.Encoded;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** RAM in LRU order over slower tiers. */
class LruPlacementTest {

    private static final long VALUE_COST = 4 * 264 + 160;

    /** Room for values beside the 32nd for what waits. */
    private static ListedTier ramFor(int values) {
        return ram((values * VALUE_COST * 32L + 30) / 31);
    }

    private static ListedTier ram(long bytes) {
        return (ListedTier) RamTier.of(CachePolicy.LRU).maxBytes(bytes).open();
    }

    private static Mono<Boolean> put(Cache cache, int number, int length) {
        return Begun.toMono(cache.placement.put(
                key(number), Encoded.of(ByteBuffer.wrap(TierKit.valueOf(number, length))), Entry.UNKNOWN));
    }

    private static void put(Cache cache, int number) {
        put(cache, number, 1_000).block(TIMEOUT);
    }

    private static List<Integer> numbers(ListedTier tier, int upTo) {
        List<SampleKey> keys = tier.keys().collectList().block(TIMEOUT);
        return IntStream.range(0, upTo)
                .filter(i -> keys.contains(key(i)))
                .boxed()
                .toList();
    }

    /** RAM evicts to disk, disk evicts out, as BiLevelCache promises. */
    @Test
    void put_overASlowerTier_handsDownWhatGivesWay() {
        MapTier disk = MapTier.leastRecentlyUsed(3);
        ListedTier ram = ramFor(4);
        try (Cache cache = Cache.of(ram, disk)) {
            IntStream.range(0, 4).forEach(i -> put(cache, i));
            assertThat(numbers(ram, 20)).containsExactly(0, 1, 2, 3);
            assertThat(disk.held).isEmpty();

            get(ram, key(0));
            put(cache, 4);
            put(cache, 5);
            assertThat(numbers(ram, 20)).containsExactly(0, 3, 4, 5);
            assertThat(numbers(disk, 20)).containsExactly(1, 2);

            IntStream.range(6, 10).forEach(i -> put(cache, i));
            assertThat(numbers(ram, 20)).containsExactly(6, 7, 8, 9);
            assertThat(numbers(disk, 20)).containsExactly(0, 4, 5);
            assertThat(bytes(disk.get(key(4)).block(TIMEOUT))).isEqualTo(TierKit.valueOf(4, 1_000));

            cache.placement.copyUp(1, key(4), disk.get(key(4)).block(TIMEOUT));
            assertThat(numbers(ram, 20)).containsExactly(4, 7, 8, 9);
            assertThat(numbers(disk, 20)).containsExactly(4, 5, 6);
        }
    }

    /** Otherwise a sample on its way down would be in no tier, and be loaded once more. */
    @Test
    void get_ofWhatIsOnItsWayDown_findsItWhileThePutBelowLasts() {
        Sinks.Empty<Void> arrived = Sinks.empty();
        MapTier disk = MapTier.leastRecentlyUsed(100);
        Tier late = new TierAround(disk) {
            @Override
            public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
                return arrived.asMono().then(Mono.defer(() -> super.put(key, value, about)));
            }
        };
        ListedTier ram = ram(1 << 20);
        try (Cache cache = Cache.of(ram, late)) {
            IntStream.range(0, 105)
                    .forEach(i -> put(cache, i, 10_000).subscribe().dispose());

            assertThat(get(ram, key(0))).isEqualTo(TierKit.valueOf(0, 10_000));
            arrived.tryEmitEmpty();

            assertThat(get(ram, key(0))).isNull();
            assertThat(get(disk, key(0))).isEqualTo(TierKit.valueOf(0, 10_000));
        }
    }

    @Test
    void put_overATierThatBreaks_losesNothingButWhatWasEvicted() {
        ListedTier ram = ramFor(4);
        try (Cache cache = Cache.of(ram, MapTier.broken())) {
            IntStream.range(0, 10).forEach(i -> put(cache, i));

            assertThat(numbers(ram, 20)).containsExactly(6, 7, 8, 9);
        }
    }

    @Test
    void put_overTwoSlowerTiers_handsDownByTurns() {
        MapTier second = MapTier.leastRecentlyUsed(2);
        MapTier third = MapTier.holding(100);
        ListedTier ram = ramFor(2);
        try (Cache cache = Cache.of(ram, second, third)) {
            IntStream.range(0, 8).forEach(i -> put(cache, i));

            assertThat(numbers(ram, 10)).containsExactly(6, 7);
            assertThat(numbers(second, 10)).containsExactly(4, 5);
            assertThat(numbers(third, 10)).containsExactly(0, 1, 2, 3);
        }
    }

    @Test
    void put_largerThanTheTier_goesStraightDown() {
        MapTier disk = MapTier.holding(10);
        try (Cache cache = Cache.of(ram(4_000), disk)) {
            assertThat(put(cache, 1, 10_000).block(TIMEOUT)).isTrue();

            assertThat(bytes(disk.get(key(1)).block(TIMEOUT))).isEqualTo(TierKit.valueOf(1, 10_000));
        }
    }
}
