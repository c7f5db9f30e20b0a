package io.penstock.cache;

import reactor.core.publisher.Mono;

/** The right to load one key, given by a tier that several processes fill. */
@FunctionalInterface
public interface Lease {

    /** For tiers that one process fills: no other process to agree with. */
    Mono<Lease> NONE = Mono.just(() -> {});

    /**
     * Lets others load the key, once what was put under it is there for them to see. Called exactly once, also when the
     * load failed or was cancelled; does not block.
     */
    void release();
}
