package io.penstock.cache;

import io.penstock.internal.Begun;
import io.penstock.internal.SingleFlight;
import io.penstock.internal.Thrown;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Values of one codec in a cache: finds them, and loads what is missing. Datasets and {@link KeyedCache} ask through it.
 *
 * <p>A look-up asks the tiers in turn. If all miss, it joins a load of the same key that is under way, or begins one: it
 * takes the leases, looks once more, loads, and offers the value to the tiers. A value that is at hand is returned as it is,
 * see {@link Begun}.
 *
 * @param <R> what a caller asks with: a draw, or a key's loader
 */
public final class Lookup<R, T> {

    /** A caller's side of it. */
    public interface Loader<R, T> {

        /** Begins to load: the value, {@link Begun#ABSENT}, or a {@code Mono} of it. */
        Object beginLoad(R request);

        /** What the tiers learn about a loaded value; null if it is not to be kept. */
        @Nullable Entry entry(R request, long loadNanos);

        /** A tier answered. */
        void hit(int tier, SampleKey key, R request);

        /** No tier answered, and a load of its own begins. */
        void missed(R request);

        /** No tier answered, and a load that another caller began brings the value. */
        void joined(R request);

        /** A tier holds the value that was loaded. */
        void stored(SampleKey key, R request);
    }

    /** Compares some hits with what a new load gives. */
    public interface Verifier<R, T> {

        /** Whether hits of this key are compared. */
        boolean picks(SampleKey key);

        /** The value, once it was compared. */
        Mono<T> verified(T value, ByteBuffer bytes, R request);
    }

    /** How far a look-up has come, which decides what follows if no tier answers. */
    private enum Phase {
        /** The first look: a load is joined or begun. */
        FIRST,
        /** The look of a load that has begun: it goes on. */
        LOADING,
        /** The look of the holder of a lease: it goes on itself. */
        LEASED
    }

    private final Cache cache;
    private final Codec<T> codec;
    private final Loader<R, T> loader;
    private final @Nullable Verifier<R, T> verifier;
    private final Level[] levels;
    private final SingleFlight<SampleKey, T> loads = new SingleFlight<>();
    private volatile boolean roomKnown;
    private volatile boolean producerKnown;

    /** Look-ups in a cache. */
    public Lookup(Cache cache, Codec<T> codec, Loader<R, T> loader, @Nullable Verifier<R, T> verifier) {
        this.cache = cache;
        this.codec = codec;
        this.loader = loader;
        this.verifier = verifier;
        this.levels = cache.levels;
    }

    /** The value, or a {@code Mono} of it. */
    public Object find(SampleKey key, R request) {
        return find(0, key, request, loads.completed());
    }

    private Object find(int from, SampleKey key, R request, long completed) {
        Object found = lookUp(from, key, request, Phase.FIRST, completed);
        return found == Begun.ABSENT ? miss(key, request, completed) : found;
    }

    /**
     * As {@link #find} for each key, but the fastest tier is asked for all of them at once. A value lies somewhere in
     * gigabytes, and a look-up waits for memory most of its time; in a group these waits overlap.
     * @param views whether it may lend views, see {@link #lost}
     * @param begun gets what {@link #find} returns, or {@link Begun.Failed}
     * @return at the places of the keys that the fastest tier answered, their bytes; {@link Loader#hit} is not told of these
     */
    public @Nullable ByteBuffer[] findAll(SampleKey[] keys, R[] requests, Object[] begun, boolean views) {
        long completed = loads.completed();
        @Nullable ByteBuffer[] found = new ByteBuffer[keys.length];
        int next = levels[0].getAll(keys, found, views) ? 1 : 0;
        for (int i = 0; i < keys.length; i++) {
            ByteBuffer bytes = found[i];
            Object value = bytes == null ? Begun.ABSENT : decoded(levels[0], keys[i], bytes, requests[i]);
            if (value != Begun.ABSENT) {
                begun[i] = value;
                continue;
            }
            found[i] = null;
            try {
                begun[i] = find(next, keys[i], requests[i], completed);
            } catch (Throwable e) {
                begun[i] = Begun.failed(e);
            }
        }
        return found;
    }

    /** Whether the fastest tier lends views of what may become unreadable. */
    public boolean lends() {
        return levels[0].tier instanceof LendingTier && verifier == null;
    }

    /** Changes when a view that was lent could not be read. */
    public long lost() {
        return cache.faults.lost() + (levels[0].tier instanceof LendingTier lending ? lending.lost() : 0);
    }

    /** Whether a tier keeps provenance. Announces the producer to it before the first put. */
    public boolean keepsProvenance(Producer producer) {
        if (!cache.keepsProvenance) {
            return false;
        }
        if (!producerKnown) {
            cache.producedBy(producer);
            producerKnown = true;
        }
        return true;
    }

    /** The value of the first tier that answers, {@link Begun#ABSENT}, or a {@code Mono} that goes on by itself. */
    @SuppressWarnings("unchecked") // a level's Mono is one of bytes
    private Object lookUp(int from, SampleKey key, R request, Phase phase, long completed) {
        for (int i = from; i < levels.length; i++) {
            Object answer = levels[i].get(key);
            if (answer instanceof Mono<?> later) {
                return lookUpLater((Mono<ByteBuffer>) later, i, key, request, phase, completed);
            }
            Object found = answer == Begun.ABSENT ? answer : hit(levels[i], key, (ByteBuffer) answer, request);
            if (found != Begun.ABSENT) {
                return found;
            }
        }
        return Begun.ABSENT;
    }

    private Mono<T> lookUpLater(Mono<ByteBuffer> asked, int at, SampleKey key, R request, Phase phase, long completed) {
        return asked.flatMap(bytes -> Begun.<T>toMono(hit(levels[at], key, bytes, request)))
                .switchIfEmpty(Mono.defer(Thrown.supplier(() -> {
                    Object found = lookUp(at + 1, key, request, phase, completed);
                    if (found != Begun.ABSENT) {
                        return Begun.toMono(found);
                    }
                    return switch (phase) {
                        case FIRST -> miss(key, request, completed);
                        case LOADING -> load(key, request);
                        case LEASED -> Mono.empty();
                    };
                })));
    }

    /** The value of what a tier holds; {@link Begun#ABSENT} if the bytes are no value. */
    private Object hit(Level level, SampleKey key, ByteBuffer bytes, R request) {
        Object value = decoded(level, key, bytes, request);
        if (value != Begun.ABSENT) {
            loader.hit(level.number, key, request);
            if (level.number > 0) {
                cache.placement.copyUp(level.number, key, bytes);
            }
        }
        return value;
    }

    private Object decoded(Level level, SampleKey key, ByteBuffer bytes, R request) {
        try {
            if (verifier != null && verifier.picks(key)) {
                return verifier.verified(codec.decode(bytes.duplicate()), bytes, request);
            }
            return codec.decode(level.number == 0 ? bytes : bytes.duplicate()); // a copy for the faster tiers follows
        } catch (Throwable e) {
            level.failed(e);
            return Begun.ABSENT;
        }
    }

    private Mono<T> miss(SampleKey key, R request, long completed) {
        return loads.join(
                key,
                () -> {
                    if (loads.completed() != completed) {
                        // a load of this key may have ended since our look: without another one it would be repeated
                        Object found = lookUp(0, key, request, Phase.LOADING, completed);
                        if (found != Begun.ABSENT) {
                            return Begun.toMono(found);
                        }
                    }
                    return load(key, request);
                },
                () -> loader.joined(request));
    }

    /** Loads a key that this process is not loading, once no other process loads it either. */
    private Mono<T> load(SampleKey key, R request) {
        Mono<Lease> lease = cache.lease(key);
        if (lease == Lease.NONE) {
            return loadAndStore(key, request);
        }
        return Mono.usingWhen(
                lease,
                held -> Mono.defer(Thrown.supplier(() -> Begun.<T>toMono(lookUp(0, key, request, Phase.LEASED, 0))))
                        .switchIfEmpty(Mono.defer(Thrown.supplier(() -> loadAndStore(key, request)))),
                held -> Mono.fromRunnable(held::release));
    }

    private Mono<T> loadAndStore(SampleKey key, R request) {
        cache.loading();
        loader.missed(request); // not before: what another process loaded meanwhile is a hit
        long started = System.nanoTime();
        return Begun.<T>toMono(loader.beginLoad(request)).flatMap(Thrown.function(value -> {
            Object stored = store(key, value, request, System.nanoTime() - started);
            if (stored instanceof Mono<?> later) {
                return later.cast(Boolean.class)
                        .doOnNext(held -> stored(held, key, request))
                        .thenReturn(value);
            }
            stored((Boolean) stored, key, request);
            return Mono.just(value);
        }));
    }

    private void stored(boolean held, SampleKey key, R request) {
        if (held) {
            loader.stored(key, request);
        }
    }

    /** Offers a value to the tiers, if one would take it: whether one holds it, as a {@code Boolean} or a {@code Mono} of it. */
    private Object store(SampleKey key, T value, R request, long loadNanos) {
        if (roomKnown && !cache.placement.accepts(key)) {
            return false;
        }
        Entry about = entry(request, loadNanos);
        if (about == null) {
            return false;
        }
        Encoded bytes = codec.encode(value);
        requireRoom(bytes.length());
        return cache.placement.put(key, bytes, about);
    }

    private @Nullable Entry entry(R request, long loadNanos) {
        try {
            return loader.entry(request, loadNanos);
        } catch (Throwable e) { // the value is there: it is delivered, though not kept
            levels[0].failed(e);
            return null;
        }
    }

    /** A tier that cannot hold one sample is a mistake; its user learns of it at the first sample. */
    private void requireRoom(int bytes) {
        if (roomKnown) {
            return;
        }
        for (Level level : levels) {
            TierStatistics now = level.statistics();
            if (now != null && now.capacity() > 0 && now.samples() == 0 && now.capacity() < bytes) {
                throw new IllegalArgumentException(
                        "cache tier \"%s\" of %d bytes cannot hold one sample of %d bytes; give it at least that or leave it out"
                                .formatted(level.tier.name(), now.capacity(), bytes));
            }
        }
        roomKnown = true;
    }
}
