package io.penstock.pipeline;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * Loads under way, one a key: whoever wants a key that is being loaded joins that load. It goes on while anyone waits for
 * it, and is cancelled when the last one cancels.
 */
final class Flights<T> {

    private final ConcurrentMap<SampleKey, Mono<T>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong landed = new AtomicLong();

    /**
     * How many loads have ended. Who reads it before looking a key up, and finds it unchanged when its own load begins,
     * knows that no other load of that key came in between.
     */
    long landed() {
        return landed.get();
    }

    /** @param joined called where another's load is joined */
    Mono<T> join(SampleKey key, Supplier<Mono<T>> load, Runnable joined) {
        return Mono.defer(() -> {
            Mono<T> own = flight(key, load);
            Mono<T> first = underWay.putIfAbsent(key, own);
            if (first == null) {
                return own;
            }
            joined.run();
            return first;
        });
    }

    private Mono<T> flight(SampleKey key, Supplier<Mono<T>> load) {
        // the entry goes when the load ends and before anyone is told, so that whoever sees the result and asks again
        // finds the tier, not this
        return Mono.defer(load)
                .doOnTerminate(() -> land(key))
                .doOnCancel(() -> land(key))
                .flux()
                .replay(1)
                .refCount()
                .singleOrEmpty();
    }

    private void land(SampleKey key) {
        landed.incrementAndGet();
        underWay.remove(key);
    }
}
