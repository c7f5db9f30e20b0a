package io.penstock.cache;

import reactor.core.publisher.Mono;

/** A tier that several processes fill. */
public interface SharedTier extends Tier {

    /**
     * Requests the right to load a key that was missed. While another process holds it, the lease waits without a thread;
     * the lease of a dead process is free. The holder looks the key up again before it loads, and releases the lease
     * after the put. {@link Lease#NONE} while no agreement is needed.
     */
    Mono<Lease> lease(SampleKey key);
}
