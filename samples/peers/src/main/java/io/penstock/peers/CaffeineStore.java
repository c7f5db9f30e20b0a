package io.penstock.peers;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Caffeine: arrays on the Java heap. */
final class CaffeineStore implements SampleStore {

    private final Cache<Long, byte[]> cache;

    CaffeineStore(long bytes) {
        this.cache = Caffeine.newBuilder()
                .maximumWeight(bytes)
                .weigher((Long key, byte[] value) -> value.length)
                .build();
    }

    @Override
    public void put(long key, ByteBuffer value) {
        byte[] bytes = new byte[value.remaining()];
        value.get(value.position(), bytes);
        cache.put(key, bytes);
    }

    @Override
    public void settle() {
        cache.cleanUp();
    }

    @Override
    public void read(long key, ByteBuffer batch, int at) {
        batch.put(at, Objects.requireNonNull(cache.getIfPresent(key), "what was put"));
    }

    @Override
    public void close() {
        cache.invalidateAll();
    }
}
