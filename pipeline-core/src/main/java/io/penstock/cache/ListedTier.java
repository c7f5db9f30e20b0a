package io.penstock.cache;

import reactor.core.publisher.Flux;

/** A tier that can list its keys. */
public interface ListedTier extends RemovableTier {

    /** The keys held, each at least once, in no order. */
    Flux<SampleKey> keys();
}
