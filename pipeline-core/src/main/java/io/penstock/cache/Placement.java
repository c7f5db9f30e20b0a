package io.penstock.cache;

import io.penstock.internal.AccessFaults;
import io.penstock.internal.Begun;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Decides which tiers of a cache hold a value.
 *
 * <p>A load is offered to the slowest tier first, then to each faster one, which learns whether a slower one holds it. A tier
 * that holds a value as a spare copy gives it up for one that no other tier holds. So nothing is held twice while something
 * is held nowhere.
 *
 * <p>A tier that returns what gives way ({@link Tier.Eviction#RETURNED}, LRU) gets the loads instead of the slower ones. These
 * get the values that give way, and the loads that do not fit.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Placement(Level[] levels) {

    /** Whether a tier would take a load. */
    boolean accepts(SampleKey key) {
        for (Level level : levels) {
            if (level.accepts(key, Entry.UNKNOWN)) {
                return true;
            }
        }
        return false;
    }

    /** Offers a load: whether a tier holds it now, as a {@code Boolean} or a {@code Mono} of it. */
    Object put(SampleKey key, Encoded value, Entry about) {
        return offer(0, levels.length, key, value, about);
    }

    /**
     * Copies what a tier answered with to the faster ones, if one of them has free room. Returns at once.
     * @param from the number of the tier
     */
    void copyUp(int from, SampleKey key, ByteBuffer value) {
        if (levels[from].eviction == Tier.Eviction.DROPPED) {
            return; // in an order of use a copy takes the room of another value
        }
        for (int faster = 0; faster < from; faster++) {
            if (levels[faster].accepts(key, Entry.SPARE)) {
                if (offer(0, from, key, Encoded.of(readable(value)), Entry.SPARE) instanceof Mono<?> later) {
                    later.subscribe();
                }
                return;
            }
        }
    }

    /** A value that is not on the heap may be a view that was lent: a copy, which stays as it is. */
    private static ByteBuffer readable(ByteBuffer value) {
        if (!value.isDirect()) {
            return value;
        }
        ByteBuffer copy = Objects.requireNonNull(AccessFaults.copy(value.slice()));
        new AccessFaults().raise();
        return copy;
    }

    /** Offers a value to the levels of {@code [fastest, end)} that are to have it: a {@code Boolean} or a {@code Mono} of it. */
    private Object offer(int fastest, int end, SampleKey key, Encoded value, Entry about) {
        int slowest = fastest;
        while (slowest < end - 1 && levels[slowest].eviction != Tier.Eviction.RETURNED) {
            slowest++;
        }
        return offerUp(slowest, fastest, key, value, about, false);
    }

    private Object offerUp(int slowest, int fastest, SampleKey key, Encoded value, Entry about, boolean heldBelow) {
        boolean held = heldBelow;
        Entry offered = about;
        for (int at = slowest; at >= fastest; at--) {
            Object put = putInto(levels[at], key, value, offered);
            if (put instanceof Mono<?> later) {
                int next = at - 1;
                Entry now = offered;
                boolean before = held;
                return later.cast(Boolean.class)
                        .flatMap(taken -> Begun.<Boolean>toMono(
                                offerUp(next, fastest, key, value, taken ? now.asSpare() : now, before || taken)));
            }
            if ((Boolean) put) {
                held = true;
                offered = offered.asSpare();
            }
        }
        return held;
    }

    private Object putInto(Level level, SampleKey key, Encoded value, Entry about) {
        boolean handsDown = level.eviction == Tier.Eviction.RETURNED && level.number < levels.length - 1;
        if (handsDown) {
            return handingDown(level, key, value, about);
        }
        Object put = level.put(key, value, about);
        return put instanceof Mono<?> later ? later.cast(Put.class).map(Put::held) : (Object) ((Put) put).held();
    }

    /** Goes on when the caller cancels: what gave way would be lost otherwise. */
    private Mono<Boolean> handingDown(Level level, SampleKey key, Encoded value, Entry about) {
        return Mono.defer(() -> Mono.fromFuture(
                Begun.<Put>toMono(level.put(key, value, about.handingDown()))
                        .flatMap(put -> handDown(level.number + 1, put, key, value, about))
                        .toFuture(),
                true));
    }

    private Mono<Boolean> handDown(int below, Put put, SampleKey key, Encoded value, Entry about) {
        Mono<Void> down = Flux.fromIterable(put.displaced())
                .concatMap(gone -> offerLater(below, gone.key(), Encoded.of(gone.value()), Entry.of(about.epoch(), 0)))
                .doOnTerminate(put.settled())
                .then();
        return put.held() || about.spare()
                ? down.thenReturn(put.held())
                : down.then(offerLater(below, key, value, about));
    }

    private Mono<Boolean> offerLater(int below, SampleKey key, Encoded value, Entry about) {
        return Mono.defer(() -> Begun.toMono(offer(below, levels.length, key, value, about)));
    }
}
