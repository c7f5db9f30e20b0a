package io.penstock.cache;

import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A slower tier in a map: so many samples, held or in the order of last use. */
public final class MapTier implements Tier {

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
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer) {
        keep(key, value.joined());
        return Mono.just(held.containsKey(key));
    }

    @Override
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer, Tier slower) {
        return Flux.fromIterable(keep(key, value.joined()).entrySet())
                .concatMap(gone -> slower.put(gone.getKey(), Encoded.of(gone.getValue()), offer))
                .then(Mono.just(true));
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
    public boolean handsDown() {
        return lru;
    }

    @Override
    public synchronized boolean accepts(SampleKey key) {
        return lru || capacity < 0 || held.size() < capacity;
    }

    @Override
    public synchronized void remove(SampleKey key) {
        held.remove(key);
    }

    @Override
    public Optional<Flux<SampleKey>> keys() {
        return Optional.of(Flux.fromIterable(List.copyOf(held.keySet())));
    }

    @Override
    public synchronized TierStatistics statistics() {
        return new TierStatistics(held.size(), 0, Long.MAX_VALUE, 0, 0, 0, 0, 0);
    }

    @Override
    public void close() {}
}
