package io.penstock.cache;

import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.tensor.Codec;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Cached values for code that has keys instead of a dataset.
 *
 * <pre>{@code
 *  KeyedCache<Features> features = KeyedCache.of(cache, Schema.of(Features.class), "features v2");
 *  Features found = features.get(path, () -> extract(path)).block();
 * }</pre>
 *
 * <p>The rules are those of a cached dataset. A key that several callers want at once is loaded once, across threads always
 * and across processes where a tier is shared. A tier that fails is a miss. What no tier has room for is loaded again.
 *
 * <p>Any number of these and of datasets share a cache. Keys of different name spaces, of strings and of numbers, and values
 * of different codecs never meet: a key is an 88-bit hash of all of that with the lengths of its parts, behind 40 bits of
 * the name space by which {@link #size} and {@link #clear} know their own.
 *
 * <p>Threads: all methods from any number of them. A loader runs where the first subscriber that misses subscribes
 * ({@code subscribeOn} moves it); the others wait without a thread. Nothing happens before a subscription.
 * A loader must not wait for its own key.
 */
public final class KeyedCache<T> {

    private static final long SPACE_BITS = -1L << 24;

    private final Cache cache;
    private final Codec<T> codec;
    private final String nameSpace;
    private final long space;
    private final SampleKey numbers;

    /** Keys seen here, for tiers that cannot list theirs. */
    private final Set<SampleKey> seen = ConcurrentHashMap.newKeySet();

    private final boolean listsKeys;

    /** Replaced by each {@link #clear}: a caller that asks after it must not join a load that began before it. */
    private volatile Lookup<Request<T>, T> lookup;

    private KeyedCache(Cache cache, Codec<T> codec, String nameSpace) {
        this.cache = cache;
        this.codec = codec;
        this.nameSpace = nameSpace;
        this.space = Fingerprint.of("keyed cache", nameSpace).high() & SPACE_BITS;
        this.numbers = SampleKey.of("keyed cache", nameSpace, codec.id(), "number");
        this.listsKeys = cache.tiers().stream().allMatch(ListedTier.class::isInstance);
        this.lookup = newLookup();
    }

    /** A loader, and the look-ups it was given to. */
    private record Request<T>(Mono<? extends T> loader, Lookup<Request<T>, T> by) {}

    private Lookup<Request<T>, T> newLookup() {
        return new Lookup<>(cache, codec, new Keeping(), null);
    }

    /** Remembers what is held, and keeps nothing that began before the last {@link #clear}. */
    private final class Keeping implements Lookup.Loader<Request<T>, T> {

        @Override
        public Object beginLoad(Request<T> request) {
            return request.loader;
        }

        @Override
        public void beginLoads(List<Request<T>> requests, @Nullable Object[] begun) {}

        @Override
        public @Nullable Entry entry(Request<T> request, long loadNanos) {
            return request.by == lookup ? Entry.of(0, loadNanos) : null;
        }

        @Override
        public void hit(int tier, SampleKey key, Request<T> request) {
            saw(key);
        }

        @Override
        public void missed(Request<T> request) {}

        @Override
        public void joined(Request<T> request) {}

        @Override
        public void stored(SampleKey key, Request<T> request) {
            saw(key);
            if (request.by != lookup) { // it came too late for that clear to see it
                forget(key);
            }
        }
    }

    /** The values of a name space, which is all that tells them from others in the same cache. */
    public static <T> KeyedCache<T> of(Cache cache, Codec<T> codec, String nameSpace) {
        return new KeyedCache<>(cache, codec, nameSpace);
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
            Lookup<Request<T>, T> now = lookup;
            return Begun.toMono(now.find(key, new Request<>(loader, now)));
        });
    }

    private void saw(SampleKey key) {
        if (!listsKeys) {
            seen.add(key);
        }
    }

    private void forget(SampleKey key) {
        seen.remove(key); // in this order, or a key put in between would be held and not counted
        cache.remove(key);
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
            lookup = newLookup();
            return keys().doOnNext(this::forget).then();
        });
    }

    private Flux<SampleKey> keys() {
        return Flux.fromArray(cache.levels)
                .concatMap(level -> level.tier instanceof ListedTier listed
                        ? listed.keys().onErrorResume(e -> {
                            level.failed(e);
                            return Flux.empty();
                        })
                        : Flux.empty())
                .concatWith(Flux.defer(() -> Flux.fromIterable(seen)))
                .filter(key -> (key.high() & SPACE_BITS) == space)
                .distinct();
    }
}
