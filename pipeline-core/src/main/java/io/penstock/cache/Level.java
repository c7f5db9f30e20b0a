package io.penstock.cache;

import io.penstock.internal.Begun;
import io.penstock.internal.Guarded;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A tier at its place in a cache: what it throws becomes a miss or a refusal, and some of its calls are timed. */
final class Level {

    final int number;
    final Tier tier;
    final Tier.Eviction eviction;
    private final TierFaults faults;
    private final @Nullable TierObserver observer;

    Level(int number, Tier tier, TierFaults faults, @Nullable TierObserver observer) {
        this.number = number;
        this.tier = tier;
        this.eviction = tier.eviction();
        this.faults = faults;
        this.observer = observer;
    }

    /** Counts a failure of the tier. */
    void failed(Throwable thrown) {
        faults.report(tier.name(), thrown);
    }

    /** The bytes, which may be a view if it may lend one, {@link Begun#ABSENT}, or a {@code Mono} of the bytes. */
    @SuppressWarnings("unchecked") // a tier's Mono is one of bytes
    Object get(SampleKey key, boolean views) {
        if (views && lends()) {
            @Nullable ByteBuffer[] lent = {null};
            if (getAll(new SampleKey[] {key}, lent, true)) {
                return lent[0] == null ? Begun.ABSENT : lent[0];
            }
        }
        TierObserver timing = timing(key);
        try {
            long started = timing == null ? 0 : System.nanoTime();
            Object found = Begun.of(tier.get(key));
            if (found instanceof Mono<?> later) {
                return later((Mono<ByteBuffer>) later, timing);
            }
            if (timing != null) {
                timing.got(number, found != Begun.ABSENT, System.nanoTime() - started);
            }
            return found;
        } catch (Throwable e) {
            failed(e);
            return Begun.ABSENT;
        }
    }

    private Mono<ByteBuffer> later(Mono<ByteBuffer> asked, @Nullable TierObserver timing) {
        Mono<ByteBuffer> timed = timing == null
                ? asked
                : Mono.defer(() -> {
                    long started = System.nanoTime();
                    return asked.doOnSuccess(value -> timing.got(number, value != null, System.nanoTime() - started));
                });
        return orEmpty(new Guarded<>(timed));
    }

    /** What was asked for; empty if it fails, which is the tier's failure. */
    <V> Mono<V> orEmpty(Mono<V> asked) {
        return asked.onErrorResume(e -> {
            failed(e);
            return Mono.empty();
        });
    }

    /** Whether the tier lends views of what may become unreadable. */
    boolean lends() {
        return tier instanceof LendingTier;
    }

    /** How often what it lends was unreadable. */
    long lost() {
        return tier instanceof LendingTier lending ? lending.lost() : 0;
    }

    /** As {@link Tier#getAll}, or as {@link LendingTier#lendAll}. The time of a group is shared equally by its keys. */
    boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found, boolean views) {
        try {
            return observer == null ? ask(keys, found, views) : getAllTimed(keys, found, views, observer);
        } catch (Throwable e) {
            failed(e);
            Arrays.fill(found, null);
            return true;
        }
    }

    private boolean ask(SampleKey[] keys, @Nullable ByteBuffer[] found, boolean views) {
        return views && tier instanceof LendingTier lending ? lending.lendAll(keys, found) : tier.getAll(keys, found);
    }

    private boolean getAllTimed(SampleKey[] keys, @Nullable ByteBuffer[] found, boolean views, TierObserver timing) {
        boolean timed = Arrays.stream(keys).anyMatch(timing::times);
        long started = timed ? System.nanoTime() : 0;
        boolean asked = ask(keys, found, views);
        if (timed && asked) {
            long share = (System.nanoTime() - started) / keys.length;
            for (int i = 0; i < keys.length; i++) {
                if (timing.times(keys[i])) {
                    timing.got(number, found[i] != null, share);
                }
            }
        }
        return asked;
    }

    /** Offers a value if the tier accepts it: a {@link Put}, or a {@code Mono} of one. */
    @SuppressWarnings("unchecked") // a tier's Mono is one of puts
    Object put(SampleKey key, Encoded value, Entry about) {
        TierObserver timing = timing(key);
        try {
            if (!tier.accepts(key, about)) {
                return Put.REFUSED;
            }
            long started = timing == null ? 0 : System.nanoTime();
            Object put = Begun.of(tier.put(key, value, about));
            if (put instanceof Mono<?> later) {
                return putLater((Mono<Put>) later, timing);
            }
            if (timing != null) {
                timing.put(number, System.nanoTime() - started);
            }
            return put == Begun.ABSENT ? Put.REFUSED : put;
        } catch (Throwable e) {
            failed(e);
            return Put.REFUSED;
        }
    }

    private Mono<Put> putLater(Mono<Put> asked, @Nullable TierObserver timing) {
        Mono<Put> timed = timing == null
                ? asked
                : Mono.defer(() -> {
                    long started = System.nanoTime();
                    return asked.doOnSuccess(put -> timing.put(number, System.nanoTime() - started));
                });
        return new Guarded<>(timed)
                .onErrorResume(e -> {
                    failed(e);
                    return Mono.just(Put.REFUSED);
                })
                .defaultIfEmpty(Put.REFUSED);
    }

    private @Nullable TierObserver timing(SampleKey key) {
        return observer != null && observer.times(key) ? observer : null;
    }

    boolean accepts(SampleKey key, Entry about) {
        try {
            return tier.accepts(key, about);
        } catch (Throwable e) {
            failed(e);
            return false;
        }
    }

    /** The tier's lease, or a {@code Mono} of it; {@link Begun#ABSENT} if one process fills it, or it fails. */
    @SuppressWarnings("unchecked") // a tier's Mono is one of a lease
    Object lease(SampleKey key) {
        try {
            Mono<Lease> asked = tier instanceof SharedTier shared ? shared.lease(key) : Lease.NONE;
            Object lease = asked == Lease.NONE ? Begun.ABSENT : Begun.of(asked);
            if (lease instanceof Mono<?> later) {
                return new Guarded<>((Mono<Lease>) later).map(this::once).onErrorResume(e -> {
                    failed(e);
                    return Lease.NONE;
                });
            }
            return lease == Begun.ABSENT ? lease : once((Lease) lease);
        } catch (Throwable e) {
            failed(e);
            return Begun.ABSENT;
        }
    }

    /** A load that ends may be cancelled at the same moment. */
    private Lease once(Lease lease) {
        AtomicBoolean released = new AtomicBoolean();
        return () -> {
            if (released.compareAndSet(false, true)) {
                try {
                    lease.release();
                } catch (Throwable e) {
                    failed(e);
                }
            }
        };
    }

    /** Null if the tier cannot tell. */
    @Nullable TierStatistics statistics() {
        try {
            return tier.statistics();
        } catch (Throwable e) {
            failed(e);
            return null;
        }
    }
}
