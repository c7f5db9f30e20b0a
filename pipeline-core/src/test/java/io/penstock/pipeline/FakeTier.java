package io.penstock.pipeline;

import io.penstock.cache.Entry;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A tier in a map, which can be told to fail, to answer late, or to be small. */
public class FakeTier implements Tier {

    public final Map<SampleKey, ByteBuffer> held = new ConcurrentHashMap<>();
    public final Set<SampleKey> spares = ConcurrentHashMap.newKeySet();
    final AtomicInteger gets = new AtomicInteger();
    private final String name;
    public volatile boolean broken;
    public volatile boolean late;
    volatile boolean answersGroups;
    volatile boolean closed;
    volatile long capacity = Long.MAX_VALUE;

    public FakeTier(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Eviction eviction() {
        return Eviction.NONE;
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        gets.incrementAndGet();
        if (broken) {
            throw new IllegalStateException("out of order");
        }
        return late ? Mono.justOrEmpty(view(key)).subscribeOn(Schedulers.parallel()) : Mono.justOrEmpty(view(key));
    }

    private @Nullable ByteBuffer view(SampleKey key) {
        ByteBuffer found = held.get(key);
        return found == null ? null : found.duplicate();
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        if (answersGroups && broken) {
            throw new IllegalStateException("out of order");
        }
        for (int i = 0; answersGroups && i < keys.length; i++) {
            found[i] = view(keys[i]);
        }
        return answersGroups;
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        if (about.spare()) {
            spares.add(key);
        }
        if (broken) {
            return Mono.error(new IllegalStateException("out of order"));
        }
        return Mono.fromCallable(() -> {
            synchronized (held) {
                if (accepts(key, about)) {
                    held.putIfAbsent(key, value.joined());
                }
                return Put.of(held.containsKey(key));
            }
        });
    }

    @Override
    public boolean accepts(SampleKey key, Entry about) {
        return held.size() < capacity;
    }

    @Override
    public TierStatistics statistics() {
        return new TierStatistics(held.size(), 0, capacity, 0, 0, 0, 0, 0);
    }

    @Override
    public void close() {
        closed = true;
    }
}
