package io.penstock.cache;

import io.penstock.tensor.Encoded;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A slower tier in a map: the given number of samples, held or in the order of last use. */
public final class MapTier implements ListedTier {

    public final Map<SampleKey, ByteBuffer> held;
    private final int capacity;
    private final boolean lru;

    private MapTier(int capacity, boolean lru) {
        this.capacity = capacity;
        this.lru = lru;
        this.held = new LinkedHashMap<>(16, 0.75f, true);
    }

    public static MapTier holding(int samples) {
        return new MapTier(samples, false);
    }

    public static MapTier leastRecentlyUsed(int samples) {
        return new MapTier(samples, true);
    }

    /** Fails at every put. */
    public static MapTier broken() {
        return new MapTier(-1, false);
    }

    @Override
    public String name() {
        return "disk";
    }

    @Override
    public synchronized Mono<ByteBuffer> get(SampleKey key) {
        return Mono.justOrEmpty(held.get(key)).map(ByteBuffer::duplicate);
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return false;
    }

    @Override
    public Eviction eviction() {
        return lru ? Eviction.RETURNED : Eviction.NONE;
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        Map<SampleKey, ByteBuffer> gone = keep(key, value.joined());
        List<Put.Displaced> displaced = gone.entrySet().stream()
                .map(one -> new Put.Displaced(one.getKey(), one.getValue()))
                .toList();
        return Mono.just(new Put(held.containsKey(key), displaced, () -> {}));
    }

    /** Returns what gave way. */
    private synchronized Map<SampleKey, ByteBuffer> keep(SampleKey key, ByteBuffer value) {
        if (capacity < 0) {
            throw new IllegalStateException("broken");
        }
        if (held.get(key) == null && (lru || held.size() < capacity)) {
            byte[] copy = TierKit.bytes(value);
            held.put(key, ByteBuffer.wrap(copy).asReadOnlyBuffer());
        }
        Map<SampleKey, ByteBuffer> gone = new LinkedHashMap<>();
        Iterator<Map.Entry<SampleKey, ByteBuffer>> inOrder = held.entrySet().iterator();
        while (held.size() > capacity) {
            Map.Entry<SampleKey, ByteBuffer> eldest = inOrder.next();
            gone.put(eldest.getKey(), eldest.getValue());
            inOrder.remove();
        }
        return gone;
    }

    @Override
    public synchronized boolean accepts(SampleKey key, Entry about) {
        return lru || capacity < 0 || held.size() < capacity;
    }

    @Override
    public synchronized void remove(SampleKey key) {
        held.remove(key);
    }

    @Override
    public Flux<SampleKey> keys() {
        return Flux.fromIterable(List.copyOf(held.keySet()));
    }

    @Override
    public synchronized TierStatistics statistics() {
        return new TierStatistics(held.size(), 0, Long.MAX_VALUE, 0, 0, 0, 0, 0);
    }

    @Override
    public void close() {}
}
