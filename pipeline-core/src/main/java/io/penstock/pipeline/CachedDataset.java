package io.penstock.pipeline;

import io.penstock.cache.Filling;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.HitCheck;
import io.penstock.cache.Loads;
import io.penstock.cache.Offer;
import io.penstock.cache.Origin;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierFaults;
import io.penstock.internal.Begun;
import io.penstock.internal.Guarded;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.tensor.Codec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A dataset whose samples are kept in tiers: a hit skips everything above, a miss loads once for all who wait. */
final class CachedDataset<T> extends Stage<T> implements Dataset<T> {

    private static final long FLYING = -1;
    private static final long LEASED = -2;

    final Stage<T> input;
    private final Codec<T> codec;
    private final @Nullable Rechecks<T> rechecks;
    private final Fingerprint layout;
    private final Filling filling;
    private final int fillingId;
    private final Level[] levels;
    private final StageMeter misses = new StageMeter();
    private final TierFaults faults = new TierFaults();
    private final Loads<T> loads;
    private volatile @Nullable Boolean originsWanted; // null until the tier was told who fills it

    private record Level(int number, Tier tier, StageMeter hits) {}

    CachedDataset(Stage<T> input, Tier tier, Codec<T> codec, @Nullable HitCheck check) {
        super(input.fingerprint(), input);
        this.input = input;
        this.codec = codec;
        this.rechecks = check == null ? null : new Rechecks<>(check, input, codec);
        this.layout = Fingerprint.of(codec);
        this.filling = Filling.of(input.fingerprint(), input.stages(), codec);
        this.fillingId = filling.id();
        this.loads = new Loads<>(tier, codec, faults);
        List<Tier> tiers = tier.levels();
        this.levels = new Level[tiers.size()];
        for (int i = 0; i < levels.length; i++) {
            levels[i] = new Level(i, tiers.get(i), new StageMeter());
        }
    }

    @Override
    Object begin(Draw draw) {
        return begin(id(draw.index()).key(), draw, loads.landed());
    }

    private Object begin(SampleKey key, Draw draw, long landed) {
        Object found = lookUp(0, key, draw, landed);
        return found == Begun.ABSENT ? miss(key, draw, landed) : found;
    }

    /**
     * As {@link #begin} for each, but the fastest level is asked for all of them in one go: what is held lies somewhere in
     * gigabytes, and finding one waits for memory longer than it takes otherwise.
     */
    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        long landed = loads.landed();
        SampleKey[] keys = new SampleKey[draws.length];
        try {
            for (int i = 0; i < draws.length; i++) {
                keys[i] = id(draws[i].index()).key();
            }
        } catch (Throwable e) { // of one draw, so each begins by itself and fails by itself
            super.beginAll(draws, begun);
            return;
        }
        @Nullable ByteBuffer[] found = new ByteBuffer[draws.length];
        boolean asked = askAll(keys, found);
        int counted = 0; // draws before this one of which the hits are counted
        int hits = 0;
        for (int i = 0; i < draws.length; i++) {
            if (hits > 0 && draws[i].epoch() != draws[counted].epoch()) {
                levels[0].hits.count(draws[counted].epoch(), hits);
                hits = 0;
            }
            if (hits == 0) {
                counted = i;
            }
            ByteBuffer bytes = found[i];
            Object value = bytes == null ? Begun.ABSENT : decoded(levels[0], keys[i], bytes, draws[i]);
            if (value != Begun.ABSENT) {
                begun[i] = value;
                hits++;
                continue;
            }
            try {
                begun[i] = asked ? behind(keys[i], draws[i], landed) : begin(keys[i], draws[i], landed);
            } catch (Throwable e) {
                begun[i] = Begun.failed(e);
            }
        }
        levels[0].hits.count(draws[counted].epoch(), hits);
    }

    private boolean askAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        try {
            return levels[0].tier.getAll(keys, found);
        } catch (Throwable e) {
            faults.report(levels[0].tier, e);
            Arrays.fill(found, null);
            return true;
        }
    }

    /** What the levels behind the fastest have, or a load. */
    private Object behind(SampleKey key, Draw draw, long landed) {
        Object found = lookUp(1, key, draw, landed);
        return found == Begun.ABSENT ? miss(key, draw, landed) : found;
    }

    /** What a level has: the bytes, a {@code Mono} of them, or {@link Begun#ABSENT}. */
    private Object ask(Level level, SampleKey key) {
        try {
            return Begun.of(level.tier.get(key));
        } catch (Throwable e) {
            faults.report(level.tier, e);
            return Begun.ABSENT;
        }
    }

    /** The value of what a level holds, counted, and offered to the faster ones; {@link Begun#ABSENT} if it is no value. */
    private Object hit(Level level, SampleKey key, ByteBuffer bytes, Draw draw) {
        Object value = decoded(level, key, bytes, draw);
        if (value != Begun.ABSENT) {
            level.hits.count(draw);
            if (level.number > 0) {
                loads.answered(level.number, key, bytes);
            }
        }
        return value;
    }

    /** The value of these bytes, or a {@code Mono} that compares it first; {@link Begun#ABSENT} if they are none. */
    private Object decoded(Level level, SampleKey key, ByteBuffer bytes, Draw draw) {
        try {
            if (rechecks != null && rechecks.picks(key)) {
                ByteBuffer kept = bytes.duplicate();
                return rechecks.compared(codec.decode(bytes), kept, draw);
            }
            return codec.decode(bytes);
        } catch (Throwable e) {
            faults.report(level.tier, e);
            return Begun.ABSENT;
        }
    }

    /**
     * The value from this level or a slower one, or {@link Begun#ABSENT}; or, where a level has to be waited for, a
     * {@code Mono} that goes on by itself to the load.
     * @param landed how many flights had landed before the look-up began, {@link #FLYING} if it is part of one,
     *     or {@link #LEASED} if it ends with the levels
     */
    @SuppressWarnings("unchecked") // a tier's Mono is one of bytes
    private Object lookUp(int from, SampleKey key, Draw draw, long landed) {
        for (int i = from; i < levels.length; i++) {
            Object answer = ask(levels[i], key);
            if (answer instanceof Mono<?> mono) {
                return askedLater((Mono<ByteBuffer>) mono, i, key, draw, landed);
            }
            Object found = answer instanceof ByteBuffer bytes ? hit(levels[i], key, bytes, draw) : Begun.ABSENT;
            if (found != Begun.ABSENT) {
                return found;
            }
        }
        return Begun.ABSENT;
    }

    private Mono<T> askedLater(Mono<ByteBuffer> asked, int at, SampleKey key, Draw draw, long landed) {
        Level level = levels[at];
        return new Guarded<>(asked)
                .onErrorResume(e -> {
                    faults.report(level.tier, e);
                    return Mono.empty();
                })
                .flatMap(bytes -> Begun.<T>toMono(hit(level, key, bytes, draw)))
                .switchIfEmpty(Mono.defer(Thrown.supplier(() -> {
                    Object found = lookUp(at + 1, key, draw, landed);
                    if (found != Begun.ABSENT) {
                        return Begun.toMono(found);
                    }
                    if (landed == LEASED) {
                        return Mono.empty(); // whoever has the lease goes on
                    }
                    return landed == FLYING ? load(key, draw) : miss(key, draw, landed);
                })));
    }

    private Mono<T> miss(SampleKey key, Draw draw, long landed) {
        return loads.join(
                key,
                () -> {
                    if (loads.landed() != landed) {
                        // a load of this key may have ended between our look-up and now: one more look, so that none is
                        // repeated
                        Object found = lookUp(0, key, draw, FLYING);
                        if (found != Begun.ABSENT) {
                            return Begun.toMono(found);
                        }
                    }
                    return load(key, draw);
                },
                () -> misses.count(draw));
    }

    /** Loads a key that no other load of this process is under way for. */
    private Mono<T> load(SampleKey key, Draw draw) {
        return loads.leased(key, () -> Begun.toMono(lookUp(0, key, draw, LEASED)), () -> loadAndStore(key, draw));
    }

    /** Begins to load on the thread that calls. */
    private Mono<T> loadAndStore(SampleKey key, Draw draw) {
        misses.count(draw); // not before: what another process loaded meanwhile is a hit
        long started = System.nanoTime();
        return Begun.<T>toMono(input.begin(draw)).flatMap(Thrown.function(value -> {
            long took = System.nanoTime() - started;
            Mono<Boolean> stored = loads.store(key, value, () -> offer(draw, took));
            return stored instanceof Callable<?> ? Mono.just(value) : stored.thenReturn(value);
        }));
    }

    private Offer offer(Draw draw, long loadNanos) {
        Boolean origins = originsWanted;
        if (origins == null) {
            origins = loads.filledBy(filling);
            originsWanted = origins;
        }
        SampleId id = id(draw.index());
        Origin origin = origins ? Origin.of(id.name(), id.state(), fillingId) : Origin.UNKNOWN;
        return new Offer(draw.epoch(), loadNanos, false, origin);
    }

    @Override
    public SampleId id(long index) {
        return input.id(index).with(layout);
    }

    @Override
    Fingerprint stages() {
        return input.stages().with(layout);
    }

    @Override
    void report(RunStatistics.Tally tally) {
        super.report(tally);
        for (Level level : levels) {
            tally.hits(level.tier.name(), level.hits);
        }
        tally.misses(misses);
        if (rechecks != null) {
            tally.rechecks(rechecks.verified, rechecks.differing);
        }
    }

    @Override
    public String toString() {
        return input + "\ncache "
                + Stream.of(levels).map(level -> level.tier.name()).toList();
    }
}
