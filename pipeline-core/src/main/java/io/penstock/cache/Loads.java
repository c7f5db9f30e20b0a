package io.penstock.cache;

import io.penstock.internal.Begun;
import io.penstock.internal.Guarded;
import io.penstock.internal.Thrown;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Loads of what a tier lacks: one a key for all who wait for it, in this process and, where the tier is shared, in all of
 * them; what comes is offered to the tier. A tier that fails is no reason not to load.
 */
public final class Loads<T> {

    private final Tier tier;
    private final Codec<T> codec;
    private final TierFaults faults;
    private final Flights<T> flights = new Flights<>();
    private volatile boolean roomKnown;

    public Loads(Tier tier, Codec<T> codec, TierFaults faults) {
        this.tier = tier;
        this.codec = codec;
        this.faults = faults;
    }

    /** As {@link Flights#landed}. */
    public long landed() {
        return flights.landed();
    }

    /** As {@link Flights#join}. */
    Mono<T> join(SampleKey key, Supplier<Mono<T>> load) {
        return join(key, load, () -> {});
    }

    /** As {@link Flights#join}. */
    public Mono<T> join(SampleKey key, Supplier<Mono<T>> load, Runnable joined) {
        return flights.join(key, load, joined);
    }

    /**
     * Loads a key that no other load of this process is under way for, once no other process loads it either.
     * @param lookAgain what the tier has by then; asked only if others fill the tier too
     */
    public Mono<T> leased(SampleKey key, Supplier<Mono<T>> lookAgain, Supplier<Mono<T>> load) {
        Mono<Lease> lease = lease(key);
        if (lease == Lease.NONE) {
            return load.get();
        }
        return Mono.usingWhen(
                new Guarded<>(lease).onErrorResume(e -> {
                    faults.report(tier, e);
                    return Lease.NONE;
                }),
                held -> Mono.defer(Thrown.supplier(lookAgain)).switchIfEmpty(Mono.defer(Thrown.supplier(load))),
                held -> Mono.fromRunnable(() -> release(held)));
    }

    private void release(Lease held) {
        try {
            held.release();
        } catch (Throwable e) {
            faults.report(tier, e);
        }
    }

    /** Tells the tier that one of its levels answered. */
    public void answered(int level, SampleKey key, ByteBuffer value) {
        try {
            tier.answered(level, key, value);
        } catch (Throwable e) {
            faults.report(tier, e);
        }
    }

    /** Tells the tier who fills it: whether offers should say their origin. */
    public boolean filledBy(Filling filling) {
        try {
            return tier.filledBy(filling);
        } catch (Throwable e) {
            faults.report(tier, e);
            return false;
        }
    }

    private Mono<Lease> lease(SampleKey key) {
        try {
            return tier.lease(key);
        } catch (Throwable e) {
            faults.report(tier, e);
            return Lease.NONE;
        }
    }

    /** Offers a value to the tier if it would take it: whether it did, which is at hand where the tier answers at once. */
    public Mono<Boolean> store(SampleKey key, T value, Supplier<Offer> offer) {
        if (roomKnown && !accepts(key)) {
            return Mono.just(false);
        }
        Encoded bytes = codec.encode(value);
        requireRoom(bytes.length());
        try {
            Object put = Begun.of(tier.put(key, bytes, offer.get()));
            Mono<Boolean> taken = Begun.toMono(put);
            return put instanceof Mono<?> ? new Guarded<>(taken).onErrorResume(this::refused) : taken;
        } catch (Throwable e) {
            return refused(e);
        }
    }

    private Mono<Boolean> refused(Throwable thrown) {
        faults.report(tier, thrown);
        return Mono.just(false);
    }

    private boolean accepts(SampleKey key) {
        try {
            return tier.accepts(key);
        } catch (Throwable e) {
            faults.report(tier, e);
            return false;
        }
    }

    /** A budget that cannot hold one sample is a mistake to say at the first sample, not a cache that never hits. */
    private void requireRoom(int bytes) {
        if (roomKnown) {
            return;
        }
        for (Tier level : tier.levels()) {
            TierStatistics now = statistics(level);
            if (now == null || now.capacity() == 0) {
                continue; // it takes nothing, such as a disk that is full, and has said so
            }
            if (now.samples() == 0 && now.capacity() < bytes) {
                throw new IllegalArgumentException(
                        "cache tier \"%s\" of %d bytes cannot hold one sample of %d bytes; give it at least that or leave it out"
                                .formatted(level.name(), now.capacity(), bytes));
            }
        }
        roomKnown = true;
    }

    private @Nullable TierStatistics statistics(Tier level) {
        try {
            return level.statistics();
        } catch (Throwable e) {
            faults.report(level, e);
            return null;
        }
    }
}
