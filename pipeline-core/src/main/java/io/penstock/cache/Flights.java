package io.penstock.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Loads under way, one a key: whoever wants a key that is being loaded joins that load. It goes on while anyone waits for
 * it, and is cancelled when the last one cancels.
 */
public final class Flights<T> {

    private final ConcurrentMap<SampleKey, Flight<T>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong landed = new AtomicLong();

    /**
     * How many loads have ended. Who reads it before looking a key up, and finds it unchanged when its own load begins,
     * knows that no other load of that key came in between.
     */
    long landed() {
        return landed.get();
    }

    /**
     * The value of the load of a key: of one under way, or else of a new one.
     * @param load   begins one, on the thread that subscribes
     * @param joined called where another's load is joined
     */
    public Mono<T> join(SampleKey key, Supplier<Mono<T>> load, Runnable joined) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                Flight.Passenger<T> passenger = new Flight.Passenger<>(actual);
                actual.onSubscribe(passenger);
                carry(key, load, joined, passenger);
            }
        };
    }

    private void carry(SampleKey key, Supplier<Mono<T>> load, Runnable joined, Flight.Passenger<T> passenger) {
        while (!passenger.isCancelled()) {
            Flight<T> own = new Flight<>(passenger.currentContext(), ended -> ended(key, ended));
            Flight<T> other = underWay.putIfAbsent(key, own);
            if (other == null && own.board(passenger)) {
                try {
                    Mono.defer(load).subscribe(own);
                } catch (Throwable e) {
                    own.onError(e); // others may wait for it
                }
                return;
            }
            if (other != null && other.board(passenger)) {
                joined.run();
                return;
            }
            underWay.remove(key, other == null ? own : other); // given up by all, and not yet gone from here
        }
    }

    private void ended(SampleKey key, Flight<T> flight) {
        landed.incrementAndGet();
        underWay.remove(key, flight);
    }
}
