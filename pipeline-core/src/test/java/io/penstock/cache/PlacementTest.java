package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.internal.Begun;
import io.penstock.pipeline.FakeTier;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class PlacementTest {

    private static final SampleKey KEY = SampleKey.of("a");
    private static final Entry ABOUT = Entry.of(3, 1_000);

    /** Keeps one value, returns the one before, and records what it was told. */
    private static final class ReturningTier extends FakeTier {
        final List<Boolean> spare = new ArrayList<>();
        final AtomicInteger settled = new AtomicInteger();

        ReturningTier(String name) {
            super(name);
        }

        @Override
        public Eviction eviction() {
            return Eviction.RETURNED;
        }

        @Override
        public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
            spare.add(about.spare());
            assertThat(about.handsDown()).isTrue();
            List<Put.Displaced> gone = held.entrySet().stream()
                    .map(one -> new Put.Displaced(one.getKey(), one.getValue()))
                    .toList();
            held.clear();
            return super.put(key, value, about).map(put -> new Put(put.held(), gone, settled::incrementAndGet));
        }
    }

    private static ByteBuffer bytes(int first) {
        return ByteBuffer.wrap(new byte[] {(byte) first, 2, 3});
    }

    private static boolean put(Cache cache, SampleKey key, ByteBuffer value) {
        return Begun.<Boolean>toMono(cache.placement.put(key, Encoded.of(value), ABOUT))
                .block();
    }

    @Test
    void put_overATierThatReturnsWhatGivesWay_reachesTheSlowerOneOnlyAsThat() {
        FakeTier above = new FakeTier("ram");
        ReturningTier middle = new ReturningTier("lru");
        FakeTier below = new FakeTier("disk");
        Cache cache = Cache.of(above, middle, below);

        assertThat(put(cache, KEY, bytes(1))).isTrue();
        assertThat(below.held).isEmpty();
        assertThat(above.spares).containsExactly(KEY);

        put(cache, KEY.with(1), bytes(4));

        assertThat(middle.held).containsOnlyKeys(KEY.with(1));
        assertThat(middle.settled).hasValue(2);
        assertThat(below.held).containsOnlyKeys(KEY);
        assertThat(below.held.get(KEY)).isEqualTo(bytes(1));
        assertThat(below.spares).isEmpty();
    }

    @Test
    void put_whatGaveWayFailsBelow_isTakenAllTheSame() {
        ReturningTier middle = new ReturningTier("lru");
        FakeTier below = new FakeTier("disk");
        below.broken = true;
        Cache cache = Cache.of(middle, below);

        put(cache, KEY, bytes(1));

        assertThat(put(cache, KEY.with(1), bytes(4))).isTrue();
        assertThat(middle.held).containsOnlyKeys(KEY.with(1));
        assertThat(middle.settled).hasValue(2);
    }

    @Test
    void copyUp_ofAHitBelow_offersASpare() {
        FakeTier above = new FakeTier("ram");
        ReturningTier middle = new ReturningTier("lru");
        FakeTier below = new FakeTier("disk");

        Cache.of(above, middle, below).placement.copyUp(2, KEY, bytes(1));

        assertThat(above.spares).containsExactly(KEY);
        assertThat(middle.spare).containsExactly(true);
        assertThat(below.held).isEmpty();
    }

    @Test
    void copyUp_whereNoFasterTierTakesSpares_putsNothing() {
        FakeTier above = new FakeTier("ram") {
            @Override
            public boolean accepts(SampleKey key, Entry about) {
                return !about.spare();
            }
        };
        Cache cache = Cache.of(above, new FakeTier("disk"));

        cache.placement.copyUp(1, KEY, bytes(1));

        assertThat(above.spares).isEmpty();
        assertThat(above.held).isEmpty();
        assertThat(cache.placement.accepts(KEY)).isTrue();
    }

    @Test
    void copyUp_fromATierThatDropsInAnOrderOfUse_putsNothing() {
        FakeTier above = new FakeTier("ram");
        FakeTier dropping = new FakeTier("disk") {
            @Override
            public Eviction eviction() {
                return Eviction.DROPPED;
            }
        };

        Cache.of(above, dropping).placement.copyUp(1, KEY, bytes(1));

        assertThat(above.held).isEmpty();
    }
}
