package io.penstock.cache;

import io.penstock.internal.Begun;
import io.penstock.internal.SingleFlight;
import io.penstock.internal.Thrown;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
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

        /**
         * The same for several that may be loaded together: {@code begun[i]} gets what {@link #beginLoad} gives,
         * or stays null for one that it has to be asked for.
         */
        void beginLoads(List<R> requests, @Nullable Object[] begun);

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

    /** A load of a key that no tier has. A look-up on its behalf goes on with it if no tier answers. */
    private final class Miss implements SingleFlight.Work<T> {

        private final SampleKey key;
        private final R request;
        private final long completed;

        /** What {@link Loader#beginLoad} would give; null where it is asked. */
        private final @Nullable Object begun;

        private boolean loads;
        private long started;
        private @Nullable Supplier<Encoded> origin;
        private volatile @Nullable Lease lease;
        private volatile boolean ended;

        Miss(SampleKey key, R request, long completed, @Nullable Object begun) {
            this.key = key;
            this.request = request;
            this.completed = completed;
            this.begun = begun;
        }

        @Override
        public Mono<T> begin() {
            if (Lookup.this.loads.mayHaveEnded(key, completed)) { // without another look it would be repeated
                Object found = lookUp(0, key, request, completed, this, false);
                if (found != Begun.ABSENT) {
                    return Begun.toMono(found);
                }
            }
            return goOn();
        }

        /** Loads, once no other process loads it either, and no tier has it then. */
        @SuppressWarnings("unchecked") // a cache's Mono is one of a lease
        Mono<T> goOn() {
            if (lease != null) {
                return load();
            }
            Object taken = cache.lease(key);
            if (taken == Begun.ABSENT) {
                return load();
            }
            return taken instanceof Mono<?> later
                    ? ((Mono<Lease>) later).flatMap(Thrown.function(this::leased))
                    : leased((Lease) taken);
        }

        private Mono<T> leased(Lease taken) {
            lease = taken;
            if (ended) {
                taken.release();
            }
            Object found = lookUp(0, key, request, completed, this, false);
            return found == Begun.ABSENT ? load() : Begun.toMono(found);
        }

        private Mono<T> load() {
            cache.loading();
            loader.missed(request); // not before: what another process loaded meanwhile is a hit
            loads = true;
            started = System.nanoTime();
            Mono<T> loading = Begun.toMono(begun == null ? loader.beginLoad(request) : begun);
            return forms == null ? loading : loading.map(this::value);
        }

        @SuppressWarnings("unchecked") // the loader's
        private T value(Object loaded) {
            if (loaded instanceof WithOrigin<?> kept) {
                origin = kept.origin();
                return (T) kept.value();
            }
            return (T) loaded;
        }

        @Override
        public void joined() {
            loader.joined(request);
        }

        @Override
        public @Nullable Mono<?> loaded(T value) {
            Object stored = loads ? store(key, value, origin, request, System.nanoTime() - started) : (Object) false;
            if (stored instanceof Mono<?> later) {
                return later.cast(Boolean.class).doOnNext(this::stored);
            }
            stored((Boolean) stored);
            return null;
        }

        private void stored(boolean held) {
            if (held) {
                loader.stored(key, request);
            }
        }

        @Override
        public void ended() {
            ended = true;
            Lease held = lease;
            if (held != null) {
                held.release();
            }
        }
    }

    private final Cache cache;
    private final Codec<T> codec;
    private final Loader<R, T> loader;
    private final @Nullable Verifier<R, T> verifier;
    private final Level[] levels;
    private final SingleFlight<SampleKey, T> loads = new SingleFlight<>();
    private volatile boolean roomKnown;
    private final Producers producers;
    private final @Nullable FormChooser<R> forms;

    /** Look-ups in a cache. */
    public Lookup(Cache cache, Codec<T> codec, Loader<R, T> loader, @Nullable Verifier<R, T> verifier) {
        this.cache = cache;
        this.codec = codec;
        this.loader = loader;
        this.verifier = verifier;
        this.levels = cache.levels;
        this.producers = new Producers(cache);
        this.forms = FormChooser.of(cache, codec, loader, loads::underWay);
    }

    /** The value, or a {@code Mono} of it. */
    public Object find(SampleKey key, R request) {
        long completed = loads.completed();
        Object found = lookUp(0, key, request, completed, null, false);
        return found == Begun.ABSENT ? miss(key, request, completed, null) : found;
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
        List<R> missing = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            ByteBuffer bytes = found[i];
            if (bytes != null && isFormed(bytes)) {
                found[i] = null;
                begun[i] = lookUpLater(Mono.just(bytes), 0, keys[i], requests[i], completed, null);
                continue;
            }
            Object value = bytes == null ? Begun.ABSENT : decoded(levels[0], keys[i], bytes, requests[i]);
            if (value != Begun.ABSENT) {
                begun[i] = value;
                continue;
            }
            found[i] = null;
            try {
                begun[i] = lookUp(next, keys[i], requests[i], completed, null, views);
            } catch (Throwable e) {
                begun[i] = Begun.failed(e);
            }
            if (begun[i] == Begun.ABSENT) {
                missing.add(requests[i]);
            }
        }
        if (!missing.isEmpty()) {
            missAll(missing, keys, begun, completed);
        }
        return found;
    }

    private void missAll(List<R> missing, SampleKey[] keys, Object[] begun, long completed) {
        @Nullable Object[] loads = new Object[missing.size()];
        loader.beginLoads(missing, loads);
        int next = 0;
        for (int i = 0; i < keys.length; i++) {
            if (begun[i] == Begun.ABSENT) {
                begun[i] = miss(keys[i], missing.get(next), completed, loads[next]);
                next++;
            }
        }
    }

    /** Whether a cache may keep values of a codec in another form. */
    public static boolean mayUnpack(Cache cache, Codec<?> codec) {
        return cache.form != null && codec instanceof Schema;
    }

    /** Whether a tier lends views of what may become unreadable. */
    public boolean lends() {
        return verifier == null && Arrays.stream(levels).anyMatch(Level::lends);
    }

    /** Changes when a view that was lent could not be read. */
    public long lost() {
        return cache.faults.lost()
                + Arrays.stream(levels).mapToLong(Level::lost).sum();
    }

    /** Whether a tier keeps provenance. Announces the producer to it before the first put. */
    public boolean keepsProvenance(Producer by) {
        return producers.announce(by);
    }

    private boolean isFormed(ByteBuffer bytes) {
        return forms != null && (cache.form().isOf(bytes) || WithOrigin.isOf(bytes));
    }

    /** The value of the first tier that answers, {@link Begun#ABSENT}, or a {@code Mono} that goes on by itself. */
    @SuppressWarnings("unchecked") // a level's Mono is one of bytes
    private Object lookUp(int from, SampleKey key, R request, long completed, @Nullable Miss miss, boolean views) {
        for (int i = from; i < levels.length; i++) {
            Object answer = levels[i].get(key, views);
            if (answer instanceof ByteBuffer bytes && isFormed(bytes)) {
                answer = Mono.just(bytes);
            }
            if (answer instanceof Mono<?> later) {
                return lookUpLater((Mono<ByteBuffer>) later, i, key, request, completed, miss);
            }
            Object found = answer == Begun.ABSENT
                    ? answer
                    : hit(levels[i], key, (ByteBuffer) answer, (ByteBuffer) answer, request);
            if (found != Begun.ABSENT) {
                return found;
            }
        }
        return Begun.ABSENT;
    }

    private Mono<T> lookUpLater(
            Mono<ByteBuffer> asked, int at, SampleKey key, R request, long completed, @Nullable Miss miss) {
        return asked.flatMap(bytes -> isFormed(bytes)
                        ? hitFormed(levels[at], key, bytes, request)
                        : Begun.<T>toMono(hit(levels[at], key, bytes, bytes, request)))
                .switchIfEmpty(Mono.defer(Thrown.supplier(() -> {
                    Object found = lookUp(at + 1, key, request, completed, miss, false);
                    if (found != Begun.ABSENT) {
                        return Begun.toMono(found);
                    }
                    return miss == null ? miss(key, request, completed, null) : miss.goOn();
                })));
    }

    /** The value of what a tier holds, as {@code kept}; {@link Begun#ABSENT} if the bytes are no value. */
    private Object hit(Level level, SampleKey key, ByteBuffer bytes, ByteBuffer kept, R request) {
        Object value = decoded(level, key, bytes, request);
        if (value != Begun.ABSENT) {
            hit(level, key, kept, request);
        }
        return value;
    }

    private void hit(Level level, SampleKey key, ByteBuffer kept, R request) {
        loader.hit(level.number, key, request);
        if (level.number > 0) {
            cache.placement.copyUp(level.number, key, kept);
        }
    }

    /** The value, unpacked or made anew on a worker; empty if the bytes are damaged. */
    @SuppressWarnings("unchecked") // its loader is measured
    private Mono<T> hitFormed(Level level, SampleKey key, ByteBuffer kept, R request) {
        MeasuredLoader<R, T> measured = (MeasuredLoader<R, T>) loader;
        if (WithOrigin.isOf(kept)) {
            return level.orEmpty(measured.remade(kept, request)).flatMap(value -> {
                hit(level, key, kept, request);
                return verifier != null && verifier.picks(key)
                        ? verifier.verified(value, codec.encode(value).joined(), request)
                        : Mono.just(value);
            });
        }
        return level.orEmpty(measured.unpacked(() -> cache.form().unpack(kept), request))
                .flatMap(bytes -> Begun.<T>toMono(hit(level, key, bytes, kept, request)));
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

    private Mono<T> miss(SampleKey key, R request, long completed, @Nullable Object begun) {
        return loads.join(key, () -> new Miss(key, request, completed, begun));
    }

    /** Offers a value to the tiers, if one would take it: whether one holds it, as a {@code Boolean} or a {@code Mono} of it. */
    private Object store(SampleKey key, T value, @Nullable Supplier<Encoded> origin, R request, long loadNanos) {
        if (roomKnown && !cache.placement.accepts(key)) {
            return false;
        }
        Entry about = entry(request, loadNanos);
        if (about == null) {
            return false;
        }
        Encoded bytes = codec.encode(value);
        requireRoom(bytes.length());
        FormChooser.Kept kept = forms == null ? FormChooser.plain(bytes) : forms.kept(key, bytes, origin, request);
        return kept == null ? false : cache.placement.put(key, kept.bytes(), producers.formed(about, kept.form()));
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
