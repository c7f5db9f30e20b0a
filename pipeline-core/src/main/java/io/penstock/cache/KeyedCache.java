package io.penstock.cache;

import io.penstock.internal.Guarded;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Codec;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Cached values for code that has keys instead of a dataset: asks a tier, and loads what it lacks.
 *
 * <pre>{@code
 *  KeyedCache<Features> features = KeyedCache.of(cache, Schema.of(Features.class), "features v2");
 *  Features found = features.get(path, () -> extract(path)).block();
 * }</pre>
 *
 * <p>The rules are those of {@link Dataset#cache}: a key that many want at once is loaded once, across threads always and
 * across processes where the tier is shared; a tier that fails is a miss; what the tier has no room for is loaded anew.
 * Any number of these and of datasets share a tier. Keys of different name spaces, of strings and of numbers, and values of
 * different codecs never meet: a key is a hash of all of that with the lengths of its parts, 88 bits of it, behind 40 bits
 * of the name space by which {@link #size} and {@link #clear} know their own.
 *
 * <p>Threads: all methods from any number of them. A loader runs where the first subscriber that misses subscribes
 * ({@code subscribeOn} moves it); the others wait without a thread. Nothing happens before a subscription.
 * A loader must not wait for its own key.
 */
public final class KeyedCache<T> {

    private static final long SPACE_BITS = -1L << 24;

    private final Tier tier;
    private final List<Tier> levels;
    private final Codec<T> codec;
    private final String nameSpace;
    private final long space;
    private final SampleKey numbers;
    private final TierFaults faults = new TierFaults();
    private final Loads<T> loads;

    /** Keys seen here, for levels that cannot tell theirs. */
    private final Set<SampleKey> seen = ConcurrentHashMap.newKeySet();

    private final boolean tellsKeys;
    private final AtomicLong cleared = new AtomicLong();

    private KeyedCache(Tier tier, Codec<T> codec, String nameSpace) {
        this.tier = tier;
        this.levels = tier.levels();
        this.codec = codec;
        this.nameSpace = nameSpace;
        this.space = Fingerprint.of("keyed cache", nameSpace).high() & SPACE_BITS;
        this.numbers = SampleKey.of("keyed cache", nameSpace, codec.id(), "number");
        this.loads = new Loads<>(tier, codec, faults);
        this.tellsKeys = tier.keys().isPresent();
    }

    /** The values of a name space, which is all that tells them from others in the same cache. */
    public static <T> KeyedCache<T> of(Cache cache, Codec<T> codec, String nameSpace) {
        return new KeyedCache<>(cache.chain(), codec, nameSpace);
    }

    /**
     * The value of a key, loaded if need be. Fails as the loader does, and then holds nothing.
     * @param loader gives the value, never {@code null}
     */
    public Mono<T> get(String key, Callable<? extends T> loader) {
        return get(key, called(loader, key));
    }

    /** As {@link #get(String, Callable)}, for a loader that does not block; an empty one gives an empty answer, not kept. */
    public Mono<T> get(String key, Mono<? extends T> loader) {
        return get(SampleKey.of("keyed cache", nameSpace, codec.id(), "string", key), loader);
    }

    /** As {@link #get(String, Callable)}, by number; key 1 and key "1" are two. */
    public Mono<T> get(long key, Callable<? extends T> loader) {
        return get(key, called(loader, key));
    }

    /** As {@link #get(String, Mono)}, by number. */
    public Mono<T> get(long key, Mono<? extends T> loader) {
        return get(numbers.with(key), loader);
    }

    private Mono<T> called(Callable<? extends T> loader, Object key) {
        return Mono.fromCallable(Thrown.callable(() -> Objects.requireNonNull(
                loader.call(),
                () -> "loader of key \"%s\" in name space \"%s\" gave null: wanted a value"
                        .formatted(key, nameSpace))));
    }

    private Mono<T> get(SampleKey hash, Mono<? extends T> loader) {
        SampleKey key = new SampleKey(space | hash.high() >>> 40, hash.low());
        return Mono.defer(() -> {
            long landed = loads.landed();
            return lookUp(key).switchIfEmpty(Mono.defer(() -> miss(key, loader, landed)));
        });
    }

    private Mono<T> miss(SampleKey key, Mono<? extends T> loader, long landed) {
        long era = cleared.get();
        // whoever asks after a clear must not be given what was loaded before it, so it does not join those loads
        return loads.join(key.with(era), () -> {
            Mono<T> load = Mono.defer(() -> loads.leased(key, () -> lookUp(key), () -> loadAndStore(key, loader, era)));
            return loads.landed() == landed ? load : lookUp(key).switchIfEmpty(load);
        });
    }

    private Mono<T> loadAndStore(SampleKey key, Mono<? extends T> loader, long era) {
        return Mono.defer(() -> {
            long started = System.nanoTime();
            return loader.flatMap(Thrown.function(value -> store(key, value, era, System.nanoTime() - started)));
        });
    }

    private Mono<T> store(SampleKey key, T value, long era, long loadNanos) {
        if (cleared.get() != era) {
            return Mono.just(value);
        }
        return loads.store(key, value, () -> new Offer(0, loadNanos, false))
                .doOnNext(taken -> {
                    if (taken) {
                        saw(key);
                        if (cleared.get() != era) { // it came too late for that clear to see it
                            forget(key);
                        }
                    }
                })
                .thenReturn(value);
    }

    private void saw(SampleKey key) {
        if (!tellsKeys) {
            seen.add(key);
        }
    }

    private void forget(SampleKey key) {
        seen.remove(key); // in this order, or a key put in between would be held and not counted
        tier.remove(key);
    }

    private Mono<T> lookUp(SampleKey key) {
        return Flux.range(0, levels.size())
                .concatMap(level -> lookUp(level, key), 1)
                .next();
    }

    private Mono<T> lookUp(int level, SampleKey key) {
        Tier asked = levels.get(level);
        return Mono.defer(Thrown.supplier(() -> new Guarded<>(asked.get(key))))
                .map(Thrown.function(bytes -> {
                    T value = codec.decode(bytes.duplicate());
                    saw(key);
                    if (level > 0) {
                        loads.answered(level, key, bytes);
                    }
                    return value;
                }))
                .onErrorResume(e -> {
                    faults.report(asked, e);
                    return Mono.empty();
                });
    }

    /**
     * How many keys of this name space the tier holds. Where a level cannot tell its keys, as RAM that holds cannot, those
     * count that were put or found there through this object, also if it gave them up since; they cost 80 bytes of heap
     * each.
     */
    public Mono<Long> size() {
        return keys().count();
    }

    /**
     * Forgets the keys that {@link #size} counts, and none of another name space. What is being loaded meanwhile is
     * delivered, but not kept.
     * @throws UnsupportedOperationException as the failure of the result, if the tier cannot remove keys
     */
    public Mono<Void> clear() {
        return Mono.defer(() -> {
            cleared.incrementAndGet();
            return keys().doOnNext(this::forget).then();
        });
    }

    private Flux<SampleKey> keys() {
        return Flux.fromIterable(levels)
                .concatMap(level -> level.keys().orElse(Flux.empty()).onErrorResume(e -> {
                    faults.report(level, e);
                    return Flux.empty();
                }))
                .concatWith(Flux.defer(() -> Flux.fromIterable(seen)))
                .filter(key -> (key.high() & SPACE_BITS) == space)
                .distinct();
    }
}
