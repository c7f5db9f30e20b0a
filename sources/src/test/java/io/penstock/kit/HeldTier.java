package io.penstock.kit;

import io.penstock.cache.Entry;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A tier that holds everything in a map. */
public final class HeldTier implements Tier {
    public final Map<SampleKey, ByteBuffer> held = new ConcurrentHashMap<>();

    @Override
    public String name() {
        return "map";
    }

    @Override
    public Eviction eviction() {
        return Eviction.NONE;
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return false;
    }

    @Override
    public boolean accepts(SampleKey key, Entry about) {
        return true;
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        return Mono.justOrEmpty(held.get(key)).map(ByteBuffer::duplicate);
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        ByteBuffer copy = ByteBuffer.allocate(value.length());
        value.copyTo(copy, 0);
        held.put(key, copy);
        return Mono.just(Put.HELD);
    }

    @Override
    public TierStatistics statistics() {
        return new TierStatistics(held.size(), 0, Long.MAX_VALUE, 0, 0, 0, 0, 0);
    }

    @Override
    public void close() {
        held.clear();
    }
}
