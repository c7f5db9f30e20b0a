package io.penstock.cache;

import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Forwards everything to another tier, for tests that change one thing about it. */
public class TierAround implements Tier {

    private final Tier tier;

    public TierAround(Tier tier) {
        this.tier = tier;
    }

    /** The key by which the other tier knows this one. */
    SampleKey inner(SampleKey key) {
        return key;
    }

    @Override
    public String name() {
        return tier.name();
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        return tier.get(inner(key));
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return tier.getAll(Stream.of(keys).map(this::inner).toArray(SampleKey[]::new), found);
    }

    @Override
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer) {
        return tier.put(inner(key), value, offer);
    }

    @Override
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer, Tier slower) {
        return tier.put(inner(key), value, offer, slower);
    }

    @Override
    public boolean handsDown() {
        return tier.handsDown();
    }

    @Override
    public boolean filledBy(Filling filling) {
        return tier.filledBy(filling);
    }

    @Override
    public boolean accepts(SampleKey key) {
        return tier.accepts(inner(key));
    }

    @Override
    public boolean accepts(SampleKey key, Offer offer) {
        return tier.accepts(inner(key), offer);
    }

    @Override
    public void remove(SampleKey key) {
        tier.remove(inner(key));
    }

    @Override
    public Optional<Flux<SampleKey>> keys() {
        return tier.keys();
    }

    @Override
    public Mono<Lease> lease(SampleKey key) {
        return tier.lease(inner(key));
    }

    @Override
    public boolean keepsHits() {
        return tier.keepsHits();
    }

    @Override
    public TierStatistics statistics() {
        return tier.statistics();
    }

    @Override
    public void close() {
        tier.close();
    }
}
