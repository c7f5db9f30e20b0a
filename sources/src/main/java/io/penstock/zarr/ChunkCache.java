package io.penstock.zarr;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What was loaded lately, within a number of bytes, and what is being loaded: whoever wants something under way joins it.
 * A load goes on while anyone waits for it, and is cancelled when the last one cancels.
 *
 * <p>What was used least recently goes first. The newest stays even if it alone is too large: the rows of a huge chunk
 * come one after the other, and would each load it again.
 */
final class ChunkCache<V> {

    private final ConcurrentMap<Long, Mono<V>> underWay = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, V> held = new LinkedHashMap<>(16, 0.75f, true);
    private final ToLongFunction<V> weight;
    private final long budget;
    private long bytes;

    ChunkCache(long budget, ToLongFunction<V> weight) {
        this.budget = budget;
        this.weight = weight;
    }

    @Nullable V held(long key) {
        lock.lock();
        try {
            return held.get(key);
        } finally {
            lock.unlock();
        }
    }

    /** What is held, else what is under way, else a load; asked anew by each subscriber. */
    Mono<V> get(long key, Supplier<Mono<V>> load) {
        return Mono.defer(() -> {
            V known = held(key);
            return known != null ? Mono.just(known) : underWay.computeIfAbsent(key, absent -> flight(absent, load));
        });
    }

    private Mono<V> flight(long key, Supplier<Mono<V>> load) {
        // held before it is no longer under way, and both before anyone is told: nobody finds it in neither place
        return Mono.defer(() -> {
                    V known = held(key); // landed between the look above and this flight
                    return known != null ? Mono.just(known) : load.get();
                })
                .doOnNext(value -> hold(key, value))
                .doOnTerminate(() -> underWay.remove(key))
                .doOnCancel(() -> underWay.remove(key))
                .flux()
                .replay(1)
                .refCount()
                .singleOrEmpty();
    }

    private void hold(long key, V value) {
        lock.lock();
        try {
            V before = held.put(key, value);
            bytes += weight.applyAsLong(value) - (before == null ? 0 : weight.applyAsLong(before));
            var oldest = held.entrySet().iterator();
            while (bytes > budget && held.size() > 1) {
                bytes -= weight.applyAsLong(oldest.next().getValue());
                oldest.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }
}
