package io.penstock.peers;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import org.ehcache.Cache;
import org.ehcache.PersistentCacheManager;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.ehcache.config.units.EntryUnit;
import org.ehcache.config.units.MemoryUnit;

/** Ehcache 3 in three tiers, of which only the disk is large. */
final class EhcacheStore implements SampleStore {

    private static final int OFF_HEAP_MIB = 16;

    private final PersistentCacheManager manager;
    private final Cache<Long, byte[]> cache;

    EhcacheStore(Path directory, long bytes) {
        this.manager = CacheManagerBuilder.newCacheManagerBuilder()
                .with(CacheManagerBuilder.persistence(directory.toFile()))
                .withCache(
                        "samples",
                        CacheConfigurationBuilder.newCacheConfigurationBuilder(
                                Long.class,
                                byte[].class,
                                ResourcePoolsBuilder.newResourcePoolsBuilder()
                                        .heap(16, EntryUnit.ENTRIES)
                                        .offheap(OFF_HEAP_MIB, MemoryUnit.MB)
                                        .disk((bytes >> 20) + 2 * OFF_HEAP_MIB, MemoryUnit.MB, true)))
                .build(true);
        this.cache = manager.getCache("samples", Long.class, byte[].class);
    }

    @Override
    public void put(long key, ByteBuffer value) {
        byte[] bytes = new byte[value.remaining()];
        value.get(value.position(), bytes);
        cache.put(key, bytes);
    }

    @Override
    public void read(long key, ByteBuffer batch, int at) {
        batch.put(at, Objects.requireNonNull(cache.get(key), "what was put"));
    }

    @Override
    public void close() {
        manager.close();
    }
}
