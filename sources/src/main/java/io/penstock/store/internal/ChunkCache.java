package io.penstock.store.internal;

import io.penstock.internal.SingleFlight;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Decoded chunks, up to a number of bytes, with single flight: callers that need a chunk while it is loaded share that
 * load. A load is cancelled when its last waiter cancels.
 *
 * <p>The least recently used chunk is evicted first. The newest stays even if it alone is too large, since the rows of
 * a huge chunk come one after the other, and each would load it again.
 */
public final class ChunkCache<V> {

    private static final int AHEAD = 2;

    private final SingleFlight<Long, V> loads = new SingleFlight<>();
    private final Object lock = new Object();
    private final Map<Long, V> held = new LinkedHashMap<>(16, 0.75f, true);
    private final ToLongFunction<V> weight;
    private final long budget;
    private long bytes;

    public ChunkCache(long budget, ToLongFunction<V> weight) {
        this.budget = budget;
        this.weight = weight;
    }

    public @Nullable V held(long key) {
        synchronized (lock) {
            return held.get(key);
        }
    }

    /** The held value, or that of the load in flight, or of a new load; each subscription looks again. */
    public Mono<V> get(long key, Supplier<Mono<V>> load) {
        // a load looks again, since another may have completed; it holds the value before it ends
        return heldOr(
                key,
                () -> loads.join(
                        key, () -> heldOr(key, () -> load.get().doOnNext(value -> hold(key, value))), () -> {}));
    }

    private Mono<V> heldOr(long key, Supplier<Mono<V>> other) {
        return Mono.defer(() -> {
            V known = held(key);
            return known != null ? Mono.just(known) : other.get();
        });
    }

    private void hold(long key, V value) {
        synchronized (lock) {
            V before = held.put(key, value);
            bytes += weight.applyAsLong(value) - (before == null ? 0 : weight.applyAsLong(before));
            var oldest = held.entrySet().iterator();
            while (bytes > budget && held.size() > 1) {
                bytes -= weight.applyAsLong(oldest.next().getValue());
                oldest.remove();
            }
        }
    }

    /**
     * Loads those of these chunks that are not held, a few at a time, if they take up to half of the budget: what is
     * open stays beside them. Nothing before the usual size is known. Failures are dropped.
     */
    public Mono<Void> ahead(LongStream wanted, LongFunction<Mono<V>> load) {
        return Flux.defer(() -> {
                    Set<Long> missing = wanted.boxed()
                            .filter(key -> held(key) == null)
                            .collect(Collectors.toCollection(LinkedHashSet::new));
                    return hasRoomFor(2L * missing.size()) ? Flux.fromIterable(missing) : Flux.empty();
                })
                .flatMap(key -> get(key, () -> load.apply(key)).onErrorComplete(), AHEAD)
                .then();
    }

    private boolean hasRoomFor(long chunks) {
        synchronized (lock) {
            return !held.isEmpty() && bytes / held.size() * chunks <= budget;
        }
    }

    public long bytes() {
        synchronized (lock) {
            return bytes;
        }
    }
}
