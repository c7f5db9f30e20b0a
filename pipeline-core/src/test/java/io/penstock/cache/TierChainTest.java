package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.FakeTier;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class TierChainTest {

    private static final SampleKey KEY = SampleKey.of("a");
    private static final Offer OFFER = new Offer(3, 1_000, false);

    /** Keeps one value, hands the one before down, and tells what it was given. */
    private static final class HandingDown extends FakeTier {
        final List<Boolean> spare = new ArrayList<>();

        HandingDown(String name) {
            super(name);
        }

        @Override
        public boolean handsDown() {
            return true;
        }

        @Override
        public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer, Tier slower) {
            spare.add(offer.spare());
            return Flux.fromIterable(List.copyOf(held.entrySet()))
                    .concatMap(gone -> {
                        held.remove(gone.getKey());
                        return slower.put(
                                gone.getKey(), Encoded.of(gone.getValue()), new Offer(offer.epoch(), 0, false));
                    })
                    .then(super.put(key, value, Offer.UNKNOWN));
        }
    }

    private static ByteBuffer bytes(int first) {
        return ByteBuffer.wrap(new byte[] {(byte) first, 2, 3});
    }

    @Test
    void put_overALevelThatHandsDown_reachesTheSlowerOneOnlyAsWhatGaveWay() {
        FakeTier above = new FakeTier("ram");
        HandingDown middle = new HandingDown("lru");
        FakeTier below = new FakeTier("disk");
        Tier chain = above.backedBy(middle.backedBy(below));

        StepVerifier.create(chain.put(KEY, Encoded.of(bytes(1)), OFFER), 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext(true)
                .verifyComplete();
        assertThat(below.held).isEmpty();
        assertThat(above.spares).containsExactly(KEY);

        chain.put(KEY.with(1), Encoded.of(bytes(4)), OFFER).block();

        assertThat(middle.held).containsOnlyKeys(KEY.with(1));
        assertThat(below.held).containsOnlyKeys(KEY);
        assertThat(below.held.get(KEY)).isEqualTo(bytes(1));
        assertThat(below.spares).isEmpty();
    }

    @Test
    void put_whatGaveWayFailsBelow_isTakenAllTheSame() {
        HandingDown middle = new HandingDown("lru");
        FakeTier below = new FakeTier("disk");
        below.broken = true;
        Tier chain = middle.backedBy(below);

        chain.put(KEY, Encoded.of(bytes(1)), OFFER).block();

        assertThat(chain.put(KEY.with(1), Encoded.of(bytes(4)), OFFER).block()).isTrue();
        assertThat(middle.held).containsOnlyKeys(KEY.with(1));
    }

    @Test
    void answered_byASlowLevel_isCopiedUpAsASpare() {
        FakeTier above = new FakeTier("ram");
        HandingDown middle = new HandingDown("lru");
        FakeTier below = new FakeTier("disk");
        Tier chain = above.backedBy(middle).backedBy(below);

        chain.answered(2, KEY, bytes(1));

        assertThat(above.spares).containsExactly(KEY);
        assertThat(middle.spare).containsExactly(true);
        assertThat(below.held).isEmpty();
    }

    @Test
    void answered_whereNoFasterLevelTakesSpares_putsNothing() {
        FakeTier above = new FakeTier("ram") {
            @Override
            public boolean accepts(SampleKey key, Offer offer) {
                return !offer.spare();
            }
        };
        Tier chain = above.backedBy(new FakeTier("disk"));

        chain.answered(1, KEY, bytes(1));

        assertThat(above.spares).isEmpty();
        assertThat(above.held).isEmpty();
        assertThat(chain.accepts(KEY)).isTrue();
    }

    @Test
    void keys_ofAChain_areKnownIfEveryLevelKnowsIts() {
        FakeTier unknown = new FakeTier("ram");
        FakeTier known = new FakeTier("disk") {
            @Override
            public Optional<Flux<SampleKey>> keys() {
                return Optional.of(Flux.fromIterable(held.keySet()));
            }
        };
        known.held.put(KEY, bytes(1));

        assertThat(unknown.backedBy(known).keys()).isEmpty();
        StepVerifier.create(known.backedBy(known).keys().orElseThrow(), 0)
                .thenRequest(9)
                .expectNext(KEY, KEY)
                .verifyComplete();
    }
}
