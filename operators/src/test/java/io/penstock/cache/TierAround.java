package io.penstock.cache;

import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
    public Eviction eviction() {
        return tier.eviction();
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
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return tier.put(inner(key), value, about);
    }

    @Override
    public boolean accepts(SampleKey key, Entry about) {
        return tier.accepts(inner(key), about);
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
